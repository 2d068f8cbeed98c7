// Signs ends of chains, so that a copy that is kept elsewhere proves what the trail was (docs/audit.md). Ed25519 (RFC 8032).
import type { KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { netstrings } from "../base";
import { createOnce, nodeCrypto } from "../crypto";
import { configurationError } from "../errors";

/** Where the signing key comes from. */
export interface SigningKeySource {
  /** PEM (PKCS #8); created if it does not exist. Undefined: the key is derived from the root key. */
  file(): string | undefined;
  /** 32 bytes that only the holder of the root key can derive, and that never change: the pair of keys is kept. */
  seed(): Uint8Array;
}

export interface Signed {
  /** Id of the key: the first 16 hex digits of the SHA-256 of the public key (32 bytes). */
  key_id: string;
  /** Base64. */
  signature: string;
}

export type Verifier = Pick<SigningKey, "verify">;

/** A key that cannot be used makes no signature; the trail itself does not depend on it. */
export class SigningKey {
  readonly #source: SigningKeySource;
  #pair: Pair | undefined;

  constructor(source: SigningKeySource) {
    this.#source = source;
  }

  /** Signs fields, encoded as netstrings. Throws `configuration` if the key file cannot be used. */
  sign(fields: readonly string[]): Signed {
    const { privateKey, id } = this.#load();
    const signature = nodeCrypto().sign(null, Buffer.from(netstrings(fields)), privateKey);
    return { key_id: id, signature: signature.toString("base64") };
  }

  /** Whether this key has signed the fields. */
  verify(fields: readonly string[], { key_id, signature }: Signed): boolean {
    const { publicKey, id } = this.#load();
    if (key_id !== id) return false;
    const bytes = Buffer.from(netstrings(fields));
    return nodeCrypto().verify(null, bytes, publicKey, Buffer.from(signature, "base64"));
  }

  /** The public key as PEM, for verifiers elsewhere. */
  publicKey(): string {
    return this.#load().publicKey.export({ type: "spki", format: "pem" }).toString();
  }

  #load(): Pair {
    return (this.#pair ??= pairOf(privateKeyOf(this.#source)));
  }
}

interface Pair {
  privateKey: KeyObject;
  publicKey: KeyObject;
  id: string;
}

function pairOf(privateKey: KeyObject): Pair {
  const publicKey = nodeCrypto().createPublicKey(privateKey);
  // The last 32 bytes of the SubjectPublicKeyInfo (RFC 8410) are the key.
  const bytes = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  return { privateKey, publicKey, id: Bun.CryptoHasher.hash("sha256", bytes, "hex").slice(0, 16) };
}

// PKCS #8 of an Ed25519 key (RFC 8410, section 7) up to its 32 bytes.
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

function privateKeyOf(source: SigningKeySource): KeyObject {
  const file = source.file();
  const { createPrivateKey, generateKeyPairSync } = nodeCrypto();
  if (file === undefined)
    return createPrivateKey({
      key: Buffer.concat([PKCS8_PREFIX, source.seed()]),
      format: "der",
      type: "pkcs8",
    });
  try {
    if (!existsSync(file)) {
      const { privateKey } = generateKeyPairSync("ed25519");
      // With a root key from elsewhere, the folder of the configuration may not exist.
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      createOnce(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    }
    const key = createPrivateKey(readFileSync(file, "utf8"));
    if (key.asymmetricKeyType !== "ed25519") throw new Error("it is not an Ed25519 key");
    return key;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    throw configurationError(
      `The key file of the audit trail, ${file}, cannot be used: ${reason}. ` +
        "Make it readable, or set audit.key_file (RUNTIME_AUDIT_KEY_FILE) to an Ed25519 key in PEM.",
      { cause: error },
    );
  }
}
