// Challenges of ceremonies. They are not stored, so that a flood of them costs nothing: a challenge proves by itself for which
// browser, project and purpose it was made, and until when. Only one that a passkey has answered is stored, until it expires,
// because each works once.
import type { Core } from "../../core";
import { hashOf, sameSecret } from "../../crypto";
import { type Transaction } from "../../store";
import { InstallationSecret, type KeyOf } from "../installation-secret";
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
  readonly #secret: InstallationSecret;

  constructor(core: Core) {
    this.#core = core;
    this.#secret = new InstallationSecret(core);
  }

  /** A new challenge, as text; browsers sign its bytes. */
  async create(of: ChallengePurpose): Promise<string> {
    const { clock, random } = this.#core;
    const nonce = Buffer.from(random(NONCE_BYTES)).toString("hex");
    const head = `${nonce}.${clock.now() + LIFETIME_MS}`;
    return `${head}.${await proofOf(this.#secret.keyOf, head, of)}`;
  }

  /** When the challenge expires, ms; undefined if it was not made for this, or has expired. */
  async check(challenge: string, of: ChallengePurpose): Promise<number | undefined> {
    const end = challenge.lastIndexOf(".");
    const head = challenge.slice(0, end);
    if (end < 0 || !(await this.#isOurs(head, challenge.slice(end + 1), of))) return undefined;
    const expiresAt = Number(head.slice(head.indexOf(".") + 1));
    return expiresAt > this.#core.clock.now() ? expiresAt : undefined;
  }

  /** Uses a challenge that was checked. False if it was used before. */
  use(challenge: string, projectId: string, expiresAt: number, now: number): Transaction<boolean> {
    return useChallenge({ hash: hashOf(challenge), project_id: projectId, expires_at: expiresAt }, now);
  }

  async #isOurs(head: string, proof: string, of: ChallengePurpose): Promise<boolean> {
    for (const keyOf of this.#secret.known)
      if (sameSecret(proof, await proofOf(keyOf, head, of))) return true;
    return false;
  }
}

async function proofOf(keyOf: KeyOf, head: string, of: ChallengePurpose): Promise<string> {
  const { projectId, browser, purpose } = of;
  return new Bun.CryptoHasher("sha256", await keyOf("challenges of passkeys"))
    .update(JSON.stringify([head, projectId, browser, purpose]))
    .digest("hex");
}
