// AES-256-GCM for small values. `node:crypto` is ten times faster than WebCrypto at this size.
import type { Random } from "./ids";
import { nodeCrypto } from "./node-crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const UTF_8 = new TextEncoder();
const BASE64_URL = { alphabet: "base64url", omitPadding: true } as const;

/** Encrypts text; base64url of nonce, ciphertext and tag. `context` binds the result to its place (AAD). */
export function encrypt(key: Uint8Array, context: string, text: string, random: Random): string {
  const nonce = random(NONCE_BYTES);
  // The default tag length is 16 bytes.
  const cipher = nodeCrypto().createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(UTF_8.encode(context));
  // In GCM mode `update` returns the whole ciphertext and `final` returns nothing.
  const encrypted = cipher.update(UTF_8.encode(text));
  cipher.final();
  const sealed = new Uint8Array(NONCE_BYTES + encrypted.length + TAG_BYTES);
  sealed.set(nonce, 0);
  sealed.set(encrypted, NONCE_BYTES);
  sealed.set(cipher.getAuthTag(), NONCE_BYTES + encrypted.length);
  return sealed.toBase64(BASE64_URL);
}

/** Returns the plain text. Throws if the key or the context differs, or if any bit was changed. */
export function decrypt(key: Uint8Array, context: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("ciphertext is too short");
  const decipher = nodeCrypto().createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/**
 * Derives a 32-byte key for one purpose, so that no two purposes share a key: HKDF with SHA-256 and no salt (RFC 5869).
 * For an output of one hash length, HKDF is two HMACs.
 */
export function derive(key: Uint8Array, purpose: string): Uint8Array {
  const extracted = hmac(new Uint8Array(32), key);
  return new Uint8Array(
    hmac(extracted, Buffer.concat([UTF_8.encode(`runtime ${purpose}`), Uint8Array.of(1)])),
  );
}

/** A code of a text that only holders of the key can make, base64url. */
export function proof(key: Uint8Array, text: string): string {
  return hmac(derive(key, "proof of a process"), UTF_8.encode(text)).toString("base64url");
}

function hmac(key: Uint8Array, bytes: Uint8Array): Buffer {
  return new Bun.CryptoHasher("sha256", key).update(bytes).digest();
}
