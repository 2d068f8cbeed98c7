// Grants and their tokens. A person has one grant per app, shared by all its tokens: a later consent adds to it, and
// revoking one token revokes all.
import { PlatformError } from "./platform-error";

export type Holder = "user" | "bot";

export interface Grant {
  readonly holder: Holder;
  readonly userId: string;
  readonly scopes: Set<string>;
  revoked: boolean;
  /** The token that never expires: without rotation every consent answers with the same one. */
  lasting: string | null;
}

interface Token {
  readonly grant: Grant;
  expiresAt: number | null;
}

interface RefreshToken {
  readonly grant: Grant;
  readonly expiresIn: number;
  used: boolean;
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresIn?: number;
}

/** The owner and scopes of a request's token. */
export interface Caller {
  readonly userId: string;
  readonly holder: Holder;
  readonly scopes: readonly string[];
}

interface SavedTokens {
  formerIds: [former: string, person: string][];
  grants: (Omit<Grant, "scopes"> & { person: string; scopes: string[]; isConsent: boolean })[];
  tokens: [token: string, grant: number, expiresAt: number | null][];
  refreshTokens: [token: string, grant: number, expiresIn: number, used: boolean][];
}

export class TokenStore {
  /** Ids that people had in an earlier run → those that they have now. */
  readonly formerIds = new Map<string, string>();
  private readonly consents = new Map<string, Grant>();
  private readonly tokens = new Map<string, Token>();
  private readonly refreshTokens = new Map<string, RefreshToken>();

  private readonly now: () => number;
  private readonly rotation: number | null;

  /** `rotation`: lifetime of access tokens in seconds, or null when they do not expire. */
  constructor(now: () => number, rotation: number | null) {
    this.now = now;
    this.rotation = rotation;
  }

  /** All grants and tokens as text, for `restore`. `nameOf`: another run has the same people under other ids. */
  saved(nameOf: (userId: string) => string): string {
    const grants = [
      ...new Set([...this.tokens.values(), ...this.refreshTokens.values()].map(({ grant }) => grant)),
    ];
    const place = (grant: Grant): number => grants.indexOf(grant);
    return JSON.stringify({
      formerIds: [...this.formerIds].map(([former, now]) => [former, nameOf(now)]),
      grants: grants.map((grant) => ({
        person: nameOf(grant.userId),
        userId: grant.userId,
        holder: grant.holder,
        scopes: [...grant.scopes],
        revoked: grant.revoked,
        lasting: grant.lasting,
        isConsent: this.consents.get(grant.userId) === grant,
      })),
      tokens: [...this.tokens].map(([token, { grant, expiresAt }]) => [token, place(grant), expiresAt]),
      refreshTokens: [...this.refreshTokens].map(([token, { grant, expiresIn, used }]) => [
        token,
        place(grant),
        expiresIn,
        used,
      ]),
    } satisfies SavedTokens);
  }

  restore(text: string, idOf: (person: string) => string): void {
    // Written by `saved`.
    const { formerIds, grants, tokens, refreshTokens } = JSON.parse(text) as SavedTokens;
    for (const [former, person] of formerIds) this.formerIds.set(former, idOf(person));
    const restored = grants.map(({ person, userId, isConsent, holder, scopes, revoked, lasting }): Grant => {
      this.formerIds.set(userId, idOf(person));
      const grant = { ...newGrant(idOf(person), holder, scopes), revoked, lasting };
      if (isConsent) this.consents.set(grant.userId, grant);
      return grant;
    });
    for (const [token, place, expiresAt] of tokens) {
      const grant = restored[place];
      if (grant !== undefined) this.tokens.set(token, { grant, expiresAt });
    }
    for (const [token, place, expiresIn, used] of refreshTokens) {
      const grant = restored[place];
      if (grant !== undefined) this.refreshTokens.set(token, { grant, expiresIn, used });
    }
  }

  /** Adds to the holder's grant. */
  consent(userId: string, holder: Holder, scopes: readonly string[]): Grant {
    let grant = this.consents.get(userId);
    if (grant === undefined || grant.revoked) {
      grant = newGrant(userId, holder, []);
      this.consents.set(userId, grant);
    }
    for (const scope of scopes) grant.scopes.add(scope);
    return grant;
  }

  /** The token, or pair, that a code exchange answers with. */
  issue(grant: Grant): TokenPair {
    if (this.rotation !== null) return this.pair(grant, this.rotation);
    grant.lasting ??= this.add(grant, null);
    return { accessToken: grant.lasting };
  }

  /** A token with its own grant, like that of another app. */
  issueAlone(
    userId: string,
    holder: Holder,
    scopes: readonly string[],
    options: { expiresIn?: number; refresh?: boolean },
  ): TokenPair {
    const grant = newGrant(userId, holder, scopes);
    const lifetime = options.expiresIn ?? this.rotation ?? 43_200;
    if (options.refresh === true) return this.pair(grant, lifetime);
    return { accessToken: this.add(grant, options.expiresIn ?? null) };
  }

  /** Consumes a refresh token. Its access token stays valid until it expires. */
  refresh(refreshToken: string): { grant: Grant; pair: TokenPair } {
    const known = this.refreshTokens.get(refreshToken);
    if (known === undefined || known.used || known.grant.revoked) {
      throw new PlatformError("invalid_refresh_token");
    }
    known.used = true;
    return { grant: known.grant, pair: this.pair(known.grant, known.expiresIn) };
  }

  /** Throws `not_authed`, `invalid_auth`, `token_revoked` or `token_expired`. */
  check(accessToken: string | null): Caller {
    if (accessToken === null) throw new PlatformError("not_authed");
    const token = this.tokens.get(accessToken);
    if (token === undefined) throw new PlatformError("invalid_auth");
    if (token.grant.revoked) throw new PlatformError("token_revoked");
    if (token.expiresAt !== null && token.expiresAt <= this.now()) throw new PlatformError("token_expired");
    return { userId: token.grant.userId, holder: token.grant.holder, scopes: [...token.grant.scopes] };
  }

  ownerOf(accessToken: string | null): string | null {
    return accessToken === null ? null : (this.tokens.get(accessToken)?.grant.userId ?? null);
  }

  expire(accessToken: string): void {
    const token = this.known(accessToken);
    token.expiresAt = this.now();
    if (token.grant.lasting === accessToken) token.grant.lasting = null;
  }

  revoke(accessToken: string): void {
    this.known(accessToken).grant.revoked = true;
  }

  private known(accessToken: string): Token {
    const token = this.tokens.get(accessToken);
    if (token === undefined) throw new Error("This sandbox did not issue that access token.");
    return token;
  }

  private pair(grant: Grant, expiresIn: number): TokenPair {
    const accessToken = this.add(grant, expiresIn);
    const refreshToken = `xoxe-1-${secret()}`;
    this.refreshTokens.set(refreshToken, { grant, expiresIn, used: false });
    return { accessToken, refreshToken, expiresIn };
  }

  private add(grant: Grant, expiresIn: number | null): string {
    const prefix = grant.holder === "bot" ? "xoxb" : "xoxp";
    const accessToken = expiresIn === null ? `${prefix}-${secret()}` : `xoxe.${prefix}-1-${secret()}`;
    this.tokens.set(accessToken, {
      grant,
      expiresAt: expiresIn === null ? null : this.now() + expiresIn * 1000,
    });
    return accessToken;
  }
}

function newGrant(userId: string, holder: Holder, scopes: readonly string[]): Grant {
  return { holder, userId, scopes: new Set(scopes), revoked: false, lasting: null };
}

function secret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("hex");
}
