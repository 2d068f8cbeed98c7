// Challenges of ceremonies. They are not stored, so that a flood of them costs nothing: a challenge proves by itself for which
// browser, project and purpose it was made, and until when. Only one that a passkey has answered is stored, until it expires,
// because each works once.
import type { Core } from "../../core";
import { hashOf, sameSecret } from "../../crypto";
import { type Transaction } from "../../store";
import { useChallenge } from "../people-repository";

/** What a challenge is for. Another browser, project or purpose makes it worthless. */
export interface ChallengePurpose {
  projectId: string;
  /** The cookie of the browser. */
  browser: string;
  /** `sign-in`, or `add` with the person who gets a passkey. */
  purpose: "sign-in" | `add ${string}`;
}

const LIFETIME_MS = 5 * 60_000;
const NONCE_BYTES = 16;

export class Challenges {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** A new challenge, as text; browsers sign its bytes. */
  create(of: ChallengePurpose): string {
    const { clock, random } = this.#core;
    const nonce = Buffer.from(random(NONCE_BYTES)).toString("hex");
    const head = `${nonce}.${clock.now() + LIFETIME_MS}`;
    return `${head}.${this.#proof(head, of)}`;
  }

  /** When the challenge expires, ms; undefined if it was not made for this, or has expired. */
  check(challenge: string, of: ChallengePurpose): number | undefined {
    const end = challenge.lastIndexOf(".");
    const head = challenge.slice(0, end);
    if (end < 0 || !sameSecret(challenge.slice(end + 1), this.#proof(head, of))) return undefined;
    const expiresAt = Number(head.slice(head.indexOf(".") + 1));
    return expiresAt > this.#core.clock.now() ? expiresAt : undefined;
  }

  /** Uses a challenge that was checked. False if it was used before. */
  use(challenge: string, projectId: string, expiresAt: number, now: number): Transaction<boolean> {
    return useChallenge({ hash: hashOf(challenge), project_id: projectId, expires_at: expiresAt }, now);
  }

  #proof(head: string, { projectId, browser, purpose }: ChallengePurpose): string {
    const key = this.#core.keyring.derived("challenges of passkeys");
    return new Bun.CryptoHasher("sha256", key)
      .update(JSON.stringify([head, projectId, browser, purpose]))
      .digest("hex");
  }
}
