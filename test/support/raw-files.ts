// Reads database files as a thief of the disk does: byte for byte, whatever SQLite thinks of a page.
import { createDecipheriv } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { derive } from "../../src/crypto/cipher";

const NONCE_BYTES = 12;
/** A wrapped data key, without its tag: nonce and the base64 text of 32 bytes. */
const WRAPPED_BYTES = NONCE_BYTES + 44;
const WRAPPED_CHARACTERS = Math.ceil((WRAPPED_BYTES * 4) / 3);
/** As many bytes of a value as must be readable to count as found. */
const PREFIX_BYTES = 48;
const RUN = /[A-Za-z0-9_-]{24,}/g;

/** All files of a data folder, with those of the write-ahead logs. */
export function rawFiles(folder: string): string {
  return readdirSync(folder)
    .filter((name) => !name.endsWith("-reserve") && existsSync(join(folder, name)))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\0");
}

/** The wrapping key of a root key in base64. */
export function wrappingKey(rootKey: string): Uint8Array {
  return derive(Buffer.from(rootKey.trim(), "base64"), "wrapping of data keys");
}

/** Every data key that one of the wrapping keys opens, wherever it is in the bytes. The tag is not needed for reading. */
export function dataKeysIn(raw: string, wrapping: readonly Uint8Array[]): Uint8Array[] {
  const keys = new Map<string, Uint8Array>();
  for (const [run] of raw.matchAll(RUN)) {
    for (let at = 0; at + WRAPPED_CHARACTERS <= run.length; at++) {
      const sealed = Buffer.from(run.slice(at, at + WRAPPED_CHARACTERS + 3), "base64url");
      for (const key of wrapping) {
        const text = plainText(key, sealed.subarray(0, WRAPPED_BYTES)).toString("latin1");
        if (/^[A-Za-z0-9+/]{43}=$/.test(text)) keys.set(text, Buffer.from(text, "base64"));
      }
    }
  }
  return [...keys.values()];
}

/** The beginnings of all sealed values that one of the keys opens to readable text. */
export function valuesIn(raw: string, keys: readonly Uint8Array[]): string[] {
  const found = new Set<string>();
  for (const [run] of raw.matchAll(RUN)) {
    const sealed = Buffer.from(run.slice(0, 88), "base64url");
    for (const key of keys) {
      const text = plainText(key, sealed.subarray(0, NONCE_BYTES + PREFIX_BYTES)).toString("latin1");
      if (/^[ -~]{10,}/.test(text)) found.add(text);
    }
  }
  return [...found];
}

// GCM encrypts like CTR whose counter begins with 2 (NIST SP 800-38D, section 7.1).
function plainText(key: Uint8Array, sealed: Uint8Array): Buffer {
  const counter = Buffer.concat([sealed.subarray(0, NONCE_BYTES), Buffer.from([0, 0, 0, 2])]);
  if (counter.length !== 16) return Buffer.alloc(0);
  return createDecipheriv("aes-256-ctr", key, counter).update(sealed.subarray(NONCE_BYTES));
}
