// Grants and their tokens. A person has one grant per project, for all its clients: consents add to it, and revoking any
// token revokes all.
import { type Person, personNamed } from "../people";
import type { TokenError } from "./token-error";
import { tokenError } from "./token-error";

const LIFETIME_S = 3599;
/** Beyond this number, the oldest refresh token of a person and client is revoked silently. */
const MOST_REFRESH_TOKENS = 100;

interface Grant {
  readonly person: Person;
  readonly project: string;
  readonly scopes: Set<string>;
  revoked: boolean;
}

interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  expiresAt: number;
}

interface RefreshToken {
  readonly grant: Grant;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The owner and scopes of a request's token. */
export interface Caller {
  readonly person: Person;
  readonly project: string;
  readonly scopes: readonly string[];
}

export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresIn: number;
  readonly scopes: readonly string[];
  readonly person: Person;
}

export interface Issue {
  readonly person: Person;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The token includes earlier grants. */
  readonly includeGranted: boolean;
  readonly offline: boolean;
  /** The person was prompted again for the same scopes. */
  readonly prompted: boolean;
  readonly expiresIn?: number | undefined;
}

/** The project that a client belongs to: the number before the first dash. */
export function projectOf(clientId: string): string {
  return clientId.split("-")[0] ?? clientId;
}

/** Grants by their keys; tokens refer to them by place. */
export interface SavedTokens {
  grants: (Omit<Grant, "person" | "scopes"> & { key: string | null; person: string; scopes: string[] })[];
  access: (Omit<AccessToken, "grant"> & { token: string; grant: number })[];
  refresh: (Omit<RefreshToken, "grant"> & { token: string; grant: number })[];
}

export class TokenStore {
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, AccessToken>();
  readonly #refreshTokens = new Map<string, RefreshToken>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  saved(): SavedTokens {
    const keys = new Map([...this.#grants].map(([key, grant]) => [grant, key]));
    const held = [...this.#tokens.values(), ...this.#refreshTokens.values()].map(({ grant }) => grant);
    const grants = [...new Set([...keys.keys(), ...held])];
    const saved = <Token extends { grant: Grant }>(all: ReadonlyMap<string, Token>) =>
      [...all].map(([token, one]) => ({ ...one, token, grant: grants.indexOf(one.grant) }));
    return {
      grants: grants.map((grant) => ({
        ...grant,
        key: keys.get(grant) ?? null,
        person: grant.person.name,
        scopes: [...grant.scopes],
      })),
      access: saved(this.#tokens),
      refresh: saved(this.#refreshTokens),
    };
  }

  restore(saved: SavedTokens): void {
    const grants = saved.grants.map(({ key, person, scopes, ...rest }) => {
      const grant = { ...rest, person: personNamed(person), scopes: new Set(scopes) };
      if (key !== null) this.#grants.set(key, grant);
      return grant;
    });
    for (const { token, grant: place, ...rest } of saved.access) {
      const grant = grants[place];
      if (grant !== undefined) this.#tokens.set(token, { ...rest, grant });
    }
    for (const { token, grant: place, ...rest } of saved.refresh) {
      const grant = grants[place];
      if (grant !== undefined) this.#refreshTokens.set(token, { ...rest, grant });
    }
  }

  /** The person's grant to the client's project. */
  granted(person: Person, clientId: string): readonly string[] {
    const grant = this.#grants.get(keyOf(person, clientId));
    return grant === undefined || grant.revoked ? [] : [...grant.scopes];
  }

  /** Adds to the grant. A refresh token is issued with the first consent, and later only after a prompt. */
  issue({
    person,
    clientId,
    scopes,
    includeGranted,
    offline,
    prompted,
    expiresIn = LIFETIME_S,
  }: Issue): TokenSet {
    const key = keyOf(person, clientId);
    const known = this.#grants.get(key);
    const isFirst = known === undefined || known.revoked;
    const grant = isFirst
      ? { person, project: projectOf(clientId), scopes: new Set<string>(), revoked: false }
      : known;
    this.#grants.set(key, grant);
    const held = includeGranted ? [...grant.scopes, ...scopes] : scopes;
    for (const scope of scopes) grant.scopes.add(scope);
    const unique = [...new Set(held)].toSorted().toReversed();
    const refreshToken =
      offline && (isFirst || prompted) ? this.#addRefresh({ grant, clientId, scopes: unique }) : undefined;
    return { ...this.#addAccess(grant, unique, expiresIn), refreshToken };
  }

  /** Throws `invalid_grant`. The refresh token stays valid; the answer has no new one. */
  refresh(refreshToken: string, clientId: string): TokenSet {
    const known = this.#refreshTokens.get(refreshToken);
    if (known === undefined || known.grant.revoked || known.clientId !== clientId) throw expiredOrRevoked();
    return { ...this.#addAccess(known.grant, known.scopes, LIFETIME_S), refreshToken: undefined };
  }

  /** Null for an invalid or missing token. */
  check(accessToken: string | null): Caller | null {
    const token = accessToken === null ? undefined : this.#tokens.get(accessToken);
    if (token === undefined || token.grant.revoked || token.expiresAt <= this.#now()) return null;
    return { person: token.grant.person, project: token.grant.project, scopes: token.scopes };
  }

  ownerOf(accessToken: string | null): string | null {
    return (accessToken === null ? undefined : this.#tokens.get(accessToken))?.grant.person.name ?? null;
  }

  /** Expires a token. Throws for an unknown one. */
  expire(accessToken: string): void {
    const token = this.#tokens.get(accessToken);
    if (token === undefined) throw new Error("This stand-in did not issue that access token.");
    token.expiresAt = this.#now();
  }

  /** Revokes the whole grant of an access or refresh token; false if it is unknown. */
  revoke(token: string): boolean {
    const grant = (this.#tokens.get(token) ?? this.#refreshTokens.get(token))?.grant;
    if (grant === undefined || grant.revoked) return false;
    grant.revoked = true;
    return true;
  }

  #addAccess(grant: Grant, scopes: readonly string[], expiresIn: number) {
    const accessToken = `ya29.${secret()}`;
    this.#tokens.set(accessToken, { grant, scopes, expiresAt: this.#now() + expiresIn * 1000 });
    return { accessToken, expiresIn, scopes, person: grant.person };
  }

  #addRefresh(token: RefreshToken): string {
    const text = `1//${secret()}`;
    this.#refreshTokens.set(text, token);
    const own = [...this.#refreshTokens].filter(
      ([, { grant, clientId }]) => grant === token.grant && clientId === token.clientId,
    );
    const [oldest] = own;
    if (own.length > MOST_REFRESH_TOKENS && oldest !== undefined) this.#refreshTokens.delete(oldest[0]);
    return text;
  }
}

function keyOf(person: Person, clientId: string): string {
  return `${person.name} ${projectOf(clientId)}`;
}

function expiredOrRevoked(): TokenError {
  return tokenError("invalid_grant", "Token has been expired or revoked.");
}

function secret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}
