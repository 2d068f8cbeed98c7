// Authorization codes: single use, ten minutes, bound to client, redirect address and PKCE challenge.
import type { Person } from "../people";
import { tokenError } from "./token-error";

const LIFETIME_MS = 10 * 60 * 1000;

export interface Consent {
  readonly person: Person;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly includeGranted: boolean;
  readonly offline: boolean;
  readonly prompted: boolean;
  /** `code_challenge` (S256). */
  readonly challenge: string;
  /** Called when the code is exchanged. */
  readonly exchanged?: () => void;
}

export class Codes {
  readonly #pending = new Map<string, Consent & { readonly expiresAt: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(consent: Consent): string {
    const code = `4/0A${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")}`;
    this.#pending.set(code, { ...consent, expiresAt: this.#now() + LIFETIME_MS });
    return code;
  }

  /** Consumes the code, also on failure. Throws a `TokenError`. */
  redeem(code: string, clientId: string, redirectUri: string, verifier: string | null): Consent {
    const consent = this.#pending.get(code);
    this.#pending.delete(code);
    if (consent === undefined || consent.expiresAt <= this.#now() || consent.clientId !== clientId) {
      throw tokenError("invalid_grant", "Malformed auth code.");
    }
    if (consent.redirectUri !== redirectUri) throw tokenError("redirect_uri_mismatch", "Bad Request");
    if (verifier === null) throw tokenError("invalid_grant", "Missing code verifier.");
    if (challengeOf(verifier) !== consent.challenge) {
      throw tokenError("invalid_grant", "Invalid code verifier.");
    }
    consent.exchanged?.();
    return consent;
  }
}

/** S256 of RFC 7636 section 4.2. */
function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}
