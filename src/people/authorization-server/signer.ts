// Signs access tokens with the current key of the installation, which may change while the library runs.
import { ExternalSigningKey } from "oidc-provider/lib/helpers/keystore.js";
import { isObject } from "../../base";
import { DEFAULT_ID } from "../../identity";
import { type JwtKeys, SIGNATURE } from "../../jwt-keys";

export const TOKEN_ALGORITHM = "ES256";
/** Keys that may still sign a token that was begun before they were replaced. */
const REMEMBERED = 3;

export class Signer {
  readonly #keys: JwtKeys;
  readonly #known = new Map<string, CryptoKey>();

  constructor(keys: JwtKeys) {
    this.#keys = keys;
  }

  /** The id of the key that signs now, for the header of a token. */
  async keyId(): Promise<string> {
    const { id, key } = await this.#keys.signing(DEFAULT_ID);
    this.#known.delete(id);
    this.#known.set(id, key);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return id;
  }

  /** `unsigned`: header and claims of a token. */
  async sign(unsigned: Uint8Array): Promise<Uint8Array> {
    const key = this.#known.get(keyIdOf(unsigned));
    if (key === undefined) throw new Error("a token names a key that does not sign");
    return new Uint8Array(await crypto.subtle.sign(SIGNATURE, key, Buffer.from(unsigned)));
  }
}

function keyIdOf(unsigned: Uint8Array): string {
  const [header = ""] = Buffer.from(unsigned).toString("latin1").split(".", 1);
  const value: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
  return isObject(value) ? String(value["kid"]) : "";
}

/** The key as the library knows it: it says how to sign, and not with which key. Our own address publishes the keys. */
export function librarySigningKey(signer: Signer): ExternalSigningKey {
  return new SigningKey(signer);
}

class SigningKey extends ExternalSigningKey {
  readonly #signer: Signer;

  constructor(signer: Signer) {
    super();
    this.#signer = signer;
    this.alg = TOKEN_ALGORITHM;
    this.kid = "current";
  }

  get kty(): string {
    return "EC";
  }

  get crv(): string {
    return "P-256";
  }

  get x(): string {
    return "unused";
  }

  get y(): string {
    return "unused";
  }

  get e(): undefined {
    return undefined;
  }

  get n(): undefined {
    return undefined;
  }

  get pub(): undefined {
    return undefined;
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return this.#signer.sign(data);
  }
}
