// Grants and their tokens, with the platform's limits: an hour per access token, ten of them per refresh token in ten
// minutes, thirty valid ones, twenty refresh tokens per person.
import { REFRESHES } from "../behaviour/tokens";
import { OAuthRefusal } from "./refusal";
import type { Location } from "../types";
import { type Person, personNamed } from "../people";

export const LIFETIME_S = 3600;
const MOST_ALIVE = 30;
const MOST_GRANTS = 20;

export interface Grant {
  readonly refreshToken: string;
  readonly person: Person;
  readonly scopes: readonly string[];
  readonly access: AccessToken[];
  /** Times of issued access tokens for the refresh token. */
  readonly refreshes: number[];
  revoked: boolean;
}

export interface AccessToken {
  readonly token: string;
  readonly person: Person;
  readonly scopes: readonly string[];
  expiresAt: number;
  revoked: boolean;
}

/** Grants refer to their access tokens. */
export interface SavedTokens {
  access: (Omit<AccessToken, "person"> & { person: string })[];
  grants: (Omit<Grant, "person" | "access"> & { person: string; access: string[] })[];
}

export class TokenStore {
  readonly #access = new Map<string, AccessToken>();
  readonly #grants = new Map<string, Grant>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  saved(): SavedTokens {
    return {
      access: [...this.#access.values()].map((token) => ({ ...token, person: token.person.name })),
      grants: [...this.#grants.values()].map((grant) => ({
        ...grant,
        person: grant.person.name,
        access: grant.access.map(({ token }) => token),
      })),
    };
  }

  restore({ access, grants }: SavedTokens): void {
    for (const token of access)
      this.#access.set(token.token, { ...token, person: personNamed(token.person) });
    for (const grant of grants)
      this.#grants.set(grant.refreshToken, {
        ...grant,
        person: personNamed(grant.person),
        access: grant.access.flatMap((token) => this.known(token) ?? []),
      });
  }

  /** A new grant with its first access token. The 21st of a person silently revokes the oldest. */
  grant(person: Person, scopes: readonly string[], lifetimeS = LIFETIME_S): [Grant, AccessToken] {
    const grant: Grant = {
      refreshToken: newToken(),
      person,
      scopes,
      access: [],
      refreshes: [],
      revoked: false,
    };
    const alive = [...this.#grants.values()].filter((other) => other.person === person && !other.revoked);
    const oldest = alive[0];
    if (alive.length >= MOST_GRANTS && oldest !== undefined) this.#end(oldest);
    this.#grants.set(grant.refreshToken, grant);
    return [grant, this.#issue(grant, lifetimeS)];
  }

  /** An access token without a refresh token, as from a consent without offline access. */
  online(person: Person, scopes: readonly string[]): AccessToken {
    return this.#add(person, scopes, LIFETIME_S);
  }

  /** Throws `invalid_code` for an invalid refresh token, and a refusal that passes if it was used too often. */
  refresh(refreshToken: string, location: Location): [Grant, AccessToken] {
    const grant = this.#grants.get(refreshToken);
    if (grant === undefined || grant.revoked || grant.person.location !== location) {
      throw new OAuthRefusal("invalid_code");
    }
    const now = this.#now();
    const recent = grant.refreshes.filter((at) => at > now - REFRESHES.windowMs).length;
    const isRefused = recent >= REFRESHES.most;
    if (!isRefused || REFRESHES.refusalsCount) grant.refreshes.push(now);
    if (isRefused) throw new OAuthRefusal(REFRESHES.error, "Too many requests; try again after some time.");
    return [grant, this.#issue(grant, LIFETIME_S)];
  }

  /** The token, if it is valid at this data center. */
  live(token: string | undefined, location: Location): AccessToken | undefined {
    const known = this.known(token);
    if (known === undefined || known.revoked || known.person.location !== location) return undefined;
    return known.expiresAt > this.#now() ? known : undefined;
  }

  known(token: string | undefined): AccessToken | undefined {
    return token === undefined ? undefined : this.#access.get(token);
  }

  expire(token: string): void {
    const known = this.known(token);
    if (known === undefined) throw new Error("This sandbox did not issue that access token.");
    known.expiresAt = this.#now();
  }

  /** Revokes the grant of a refresh token. False if it is unknown at this data center. */
  revoke(refreshToken: string, location?: Location): boolean {
    const grant = this.#grants.get(refreshToken);
    if (grant === undefined || (location !== undefined && grant.person.location !== location)) return false;
    this.#end(grant);
    return true;
  }

  #end(grant: Grant): void {
    grant.revoked = true;
    for (const token of grant.access) token.revoked = true;
  }

  #issue(grant: Grant, lifetimeS: number): AccessToken {
    const alive = grant.access.filter(({ revoked, expiresAt }) => !revoked && expiresAt > this.#now());
    const oldest = alive[0];
    if (alive.length >= MOST_ALIVE && oldest !== undefined) oldest.revoked = true;
    const token = this.#add(grant.person, grant.scopes, lifetimeS);
    grant.access.push(token);
    return token;
  }

  #add(person: Person, scopes: readonly string[], lifetimeS: number): AccessToken {
    const expiresAt = this.#now() + lifetimeS * 1000;
    const token: AccessToken = { token: newToken(), person, scopes, expiresAt, revoked: false };
    this.#access.set(token.token, token);
    return token;
  }
}

function newToken(): string {
  const part = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
  return `1000.${part()}.${part()}`;
}
