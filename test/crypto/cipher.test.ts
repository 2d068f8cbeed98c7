// AES-256-GCM and key derivation, against published test vectors where they exist.
import { describe, expect, test } from "bun:test";
import { hkdfSync } from "node:crypto";
import { systemRandom } from "../../src/crypto";
import { decrypt, derive, encrypt } from "../../src/crypto/cipher";

const KEY = new Uint8Array(32);

describe("encryption", () => {
  test("is AES-256-GCM: nonce, ciphertext, tag", () => {
    // The GCM specification (McGrew and Viega), test case 14: a block of zeros with a key of zeros, here without context.
    const sealed = encrypt(KEY, "", "\0".repeat(16), () => new Uint8Array(12));
    const nonce = "00".repeat(12);

    expect(Buffer.from(sealed, "base64url").toString("hex")).toBe(
      `${nonce}cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919`,
    );
  });

  test("opens with the same key and context", () => {
    expect(decrypt(KEY, "here", encrypt(KEY, "here", "text", systemRandom))).toBe("text");
  });

  test("does not open in another context", () => {
    const sealed = encrypt(KEY, "here", "text", systemRandom);

    expect(() => decrypt(KEY, "there", sealed)).toThrow();
  });

  test("does not open with another key", () => {
    const sealed = encrypt(KEY, "here", "text", systemRandom);

    expect(() => decrypt(new Uint8Array(32).fill(1), "here", sealed)).toThrow();
  });

  test.each(["", "AAAA", "A".repeat(36)])("refuses %j as too short", (sealed) => {
    expect(() => decrypt(KEY, "here", sealed)).toThrow(/too short/);
  });

  test("uses a new nonce each time", () => {
    const nonces = Array.from({ length: 1000 }, () => encrypt(KEY, "", "", systemRandom).slice(0, 16));

    expect(new Set(nonces).size).toBe(1000);
  });
});

describe("derivation", () => {
  test("gives each purpose its own key of 32 bytes", () => {
    const keys = ["wrapping", "signing"].map((purpose) => Buffer.from(derive(KEY, purpose)).toString("hex"));

    expect(keys.map((key) => key.length)).toEqual([64, 64]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test("is HKDF (RFC 5869) with SHA-256, so that a later version of this program finds the same keys", () => {
    // HMAC(HMAC(zeros, key), "runtime wrapping" + 0x01), computed with another program.
    expect(Buffer.from(derive(KEY, "wrapping")).toString("hex")).toBe(
      "1d4767dfaed4f2c3e853b90d4a98cbd93b61b7ce3eac6ff61bd657d42771837d",
    );
  });

  test("equals another implementation of HKDF for any key and purpose", () => {
    for (let round = 0; round < 50; round++) {
      const key = systemRandom(1 + round);
      const purpose = "ä".repeat(round);

      expect(Buffer.from(derive(key, purpose))).toEqual(
        Buffer.from(hkdfSync("sha256", key, new Uint8Array(0), `runtime ${purpose}`, 32)),
      );
    }
  });
});
