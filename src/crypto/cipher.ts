// AES-256-GCM for small values. `node:crypto` is ten times faster than WebCrypto at this size.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Random } from "./ids";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts text; base64url of nonce, ciphertext and tag. `context` binds the result to its place (AAD). */
export function encrypt(key: Uint8Array, context: string, text: string, random: Random): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString(
    "base64url",
  );
}

/** The text again. Throws when key or context differ, or a bit was changed. */
export function decrypt(key: Uint8Array, context: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("ciphertext is too short");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** A key of 32 bytes for one purpose, so that no two purposes share a key. */
export function derive(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, new Uint8Array(0), `runtime ${purpose}`, 32));
}
