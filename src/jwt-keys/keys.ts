// Keys that sign tokens: made at first use, replaced by age or at once.
import { isObject } from "../base";
import type { Core } from "../core";
import { base64Url, Unopenable } from "../crypto";
import { CachedByGeneration, type Transaction } from "../store";
import { advance, isDue, isPublished, type NewKey, replaceAll } from "./life";
import type { KeyRow, KeyTable } from "./repository";

/** ES256: ECDSA over P-256 with SHA-256 (RFC 7518, section 3.4). */
const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
export const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

/** How often it is tried to do what is due. */
const TRIES = 5;
/** After a failure, while the key still signs. */
const AGAIN_MS = 60_000;

export interface SigningKey {
  id: string;
  key: CryptoKey;
}

interface Loaded {
  rows: readonly KeyRow[];
  signing: SigningKey | undefined;
  /** Those that have verified something, by id. */
  verifying: Map<string, CryptoKey>;
  /** A key that cannot be opened. */
  lost: string | undefined;
}

/** The words of a table in the log. */
const NAMES = { identity_keys: "an identity key", token_keys: "a key that signs tokens" } as const;

export class JwtKeys {
  readonly #core: Core;
  readonly #table: KeyTable;
  readonly #loaded: CachedByGeneration<string, Loaded>;
  /** Monotonic time before which a failed step is not tried again, by project. */
  readonly #again = new Map<string, number>();

  constructor(core: Core, table: KeyTable) {
    this.#core = core;
    this.#table = table;
    this.#loaded = new CachedByGeneration(core.store, table.name);
  }

  /** The key that signs for a project, made if there is none. Throws what the store throws if none can be stored. */
  async signing(projectId: string): Promise<SigningKey> {
    const { clock } = this.#core;
    for (let tries = 0; tries < TRIES; tries++) {
      const loaded = await this.#loaded.get(projectId, this.#load);
      const { rows, signing, lost } = loaded;
      if (signing !== undefined && !isDue(rows, clock.now())) return signing;
      if (signing === undefined) await this.#advance(projectId, lost);
      else if (!(await this.#advancedInTime(projectId))) return signing;
    }
    throw new Error(`the keys in ${this.#table.name} of a project keep changing`);
  }

  /** The public keys of all projects, as a JSON Web Key Set (RFC 7517, section 5). */
  async published(): Promise<{ keys: object[] }> {
    const now = this.#core.clock.now();
    const rows = await this.#table.published(this.#core.store);
    const published = rows.filter((row) => isPublished(row, now));
    // Written by this class only.
    return { keys: published.map(({ public_key }) => JSON.parse(public_key) as object) };
  }

  /**
   * Replaces the keys of a project at once, for one that has leaked. `also`: a part of the same transaction, which gets the ids
   * of the new key and of the replaced ones.
   */
  async replace(
    projectId: string,
    also: (made: string, replaced: string[]) => Transaction<void>,
  ): Promise<{ made: string; replaced: string[] }> {
    const { store, clock } = this.#core;
    const table = this.#table;
    const made = await this.#made(projectId);
    const replaced = await store.write(function* (): Transaction<string[]> {
      const ids = yield* replaceAll(table, made, clock.now());
      yield* also(made.id, ids);
      return ids;
    });
    return { made: made.id, replaced };
  }

  /** The public key with this id, if it is published. */
  async verifying(projectId: string, id: string): Promise<CryptoKey | undefined> {
    const { rows, verifying } = await this.#loaded.get(projectId, this.#load);
    const row = rows.find((one) => one.id === id);
    if (row === undefined || !isPublished(row, this.#core.clock.now())) return undefined;
    const known = verifying.get(id);
    if (known !== undefined) return known;
    const key = await imported(row.public_key);
    verifying.set(id, key);
    return key;
  }

  readonly #load = async (projectId: string): Promise<Loaded> => {
    const rows = await this.#table.list(this.#core.store, projectId);
    const verifying = new Map<string, CryptoKey>();
    const current = rows.find(({ state }) => state === "current");
    if (current === undefined) return { rows, verifying, signing: undefined, lost: undefined };
    try {
      const signing = { id: current.id, key: await this.#opened(current) };
      return { rows, verifying, signing, lost: undefined };
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      const fields = { project_id: projectId, id: current.id };
      this.#core.log.warn(`${NAMES[this.#table.name]} cannot be decrypted and is replaced`, fields);
      return { rows, verifying, signing: undefined, lost: current.id };
    }
  };

  async #opened({ project_id, id, sealed_private_key }: KeyRow): Promise<CryptoKey> {
    const text = await this.#core.keyring.open(project_id, this.#table.placeOf(id), sealed_private_key ?? "");
    return crypto.subtle.importKey("pkcs8", Buffer.from(text, "base64url"), CURVE, false, ["sign"]);
  }

  /** False if it is to be tried later. The present key goes on signing. */
  async #advancedInTime(projectId: string): Promise<boolean> {
    const { clock, log } = this.#core;
    if (clock.monotonic() < (this.#again.get(projectId) ?? -Infinity)) return false;
    try {
      await this.#advance(projectId, undefined);
      this.#again.delete(projectId);
      return true;
    } catch (error) {
      this.#again.set(projectId, clock.monotonic() + AGAIN_MS);
      log.warn(`${NAMES[this.#table.name]} could not be replaced`, { project_id: projectId, error });
      return false;
    }
  }

  async #advance(projectId: string, lost: string | undefined): Promise<void> {
    const made = await this.#made(projectId);
    await this.#core.store.write(() => advance(this.#table, made, this.#core.clock.now(), lost));
  }

  async #made(projectId: string): Promise<NewKey> {
    const pair = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]);
    const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const id = thumbprint(x, y);
    const secret = base64Url(new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey)));
    return {
      project_id: projectId,
      id,
      public_key: JSON.stringify({ kty: "EC", crv: "P-256", x, y, kid: id, use: "sig", alg: "ES256" }),
      sealed_private_key: await this.#core.keyring.seal(projectId, this.#table.placeOf(id), secret),
    };
  }
}

// Written by this class only.
async function imported(publicKey: string): Promise<CryptoKey> {
  const jwk: unknown = JSON.parse(publicKey);
  if (!isObject(jwk)) throw new Error("a public key is not a JSON object");
  return crypto.subtle.importKey("jwk", jwk, CURVE, false, ["verify"]);
}

/** RFC 7638, section 3. */
function thumbprint(x: string, y: string): string {
  const text = JSON.stringify({ crv: "P-256", kty: "EC", x, y });
  return base64Url(new Bun.CryptoHasher("sha256").update(text).digest());
}
