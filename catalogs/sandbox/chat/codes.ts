// Authorization codes: single use, ten minutes, bound to the redirect address and to the PKCE challenge.
import { PlatformError } from "./platform-error";

const LIFETIME_MS = 10 * 60 * 1000;

export interface Consent {
  readonly userId: string;
  readonly userScopes: readonly string[];
  readonly botScopes: readonly string[];
  readonly redirectUri: string;
  /** `code_challenge` (S256), null without PKCE. */
  readonly challenge: string | null;
}

export class Codes {
  private readonly pending = new Map<string, Consent & { readonly expiresAt: number }>();

  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  issue(consent: Consent): string {
    const code = Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString("hex");
    this.pending.set(code, { ...consent, expiresAt: this.now() + LIFETIME_MS });
    return code;
  }

  /** Consumes the code, also on failure. Throws `invalid_code`, `bad_redirect_uri`, `invalid_code_verifier`. */
  redeem(code: string, redirectUri: string, verifier: string | undefined): Consent {
    const consent = this.pending.get(code);
    this.pending.delete(code);
    if (consent === undefined || consent.expiresAt <= this.now()) throw new PlatformError("invalid_code");
    if (consent.redirectUri !== redirectUri) throw new PlatformError("bad_redirect_uri");
    const challenge = verifier === undefined ? null : challengeOf(verifier);
    if (challenge !== consent.challenge) throw new PlatformError("invalid_code_verifier");
    return consent;
  }
}

/** S256 of RFC 7636 section 4.2. */
function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}
