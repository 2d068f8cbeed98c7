// Authorization codes: single use, one minute, bound to the redirect address, at the person's own data center.
import { CODES } from "../behaviour/tokens";
import type { Person } from "../people";
import type { Location } from "../types";
import { OAuthRefusal } from "./refusal";

const LIFETIME_MS = 60_000;

export interface Consent {
  readonly person: Person;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** Whether a refresh token is issued: offline access and a prompted consent. */
  readonly withRefresh: boolean;
}

export class Codes {
  readonly #pending = new Map<string, Consent & { readonly expiresAt: number }>();
  readonly #now: () => number;
  /** Times of the codes of the client, in all data centers. */
  #issued: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined if the client got too many codes. */
  issue(consent: Consent): string | undefined {
    const now = this.#now();
    this.#issued = this.#issued.filter((at) => at > now - CODES.windowMs);
    if (this.#issued.length >= CODES.most) return undefined;
    this.#issued.push(now);
    const code = `1000.${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString("hex")}`;
    this.#pending.set(code, { ...consent, expiresAt: this.#now() + LIFETIME_MS });
    return code;
  }

  /** Consumes the code, also on failure. Throws `invalid_code`, `invalid_redirect_uri`. */
  redeem(code: string, redirectUri: string, location: Location): Consent {
    const consent = this.#pending.get(code);
    // At another data center the code is unknown, and stays valid at its own.
    if (consent?.person.location !== location) throw new OAuthRefusal("invalid_code");
    this.#pending.delete(code);
    if (consent.expiresAt <= this.#now()) throw new OAuthRefusal("invalid_code");
    if (consent.redirectUri !== redirectUri) throw new OAuthRefusal("invalid_redirect_uri");
    return consent;
  }
}
