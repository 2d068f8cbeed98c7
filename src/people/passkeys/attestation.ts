// Attestations of authenticators are not asked for and not looked at: their certificates are texts of others, and the library would
// load the addresses that they name.

/** The length of byte strings is written in two bytes. */
const MOST_BYTES = 0xffff;

/** A CBOR text of less than 24 bytes (RFC 8949, section 3.1). */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

/**
 * The attestation object with this authenticator data and the format `none` (WebAuthn, section 8.7), as base64url; undefined if
 * the data are too long.
 */
export function withoutAttestation(authenticatorData: Uint8Array): string | undefined {
  const { length } = authenticatorData;
  if (length > MOST_BYTES) return undefined;
  const object = [
    // A map of three, an empty map, and bytes.
    Buffer.from([0xa3]),
    text("fmt"),
    text("none"),
    text("attStmt"),
    Buffer.from([0xa0]),
    text("authData"),
    Buffer.from([0x59, length >> 8, length & 0xff]),
    authenticatorData,
  ];
  return Buffer.concat(object).toString("base64url");
}
