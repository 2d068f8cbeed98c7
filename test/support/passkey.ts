// A passkey in software, for tests without a browser: it answers ceremonies as an authenticator does (WebAuthn level 3, section
// 6), or with one fault.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** The options of a server, as far as an authenticator reads them. */
export interface Asked {
  challenge: string;
  rpId?: string;
  rp?: { id?: string };
  user?: { id: string };
}

export interface Faults {
  /** Default: what the browser would say. */
  type?: string;
  challenge?: string;
  rpId?: string;
  /** Without user verification. */
  unverified?: boolean;
  counter?: number;
  userHandle?: string;
  /** Signs with another key. */
  key?: KeyObject;
  crossOrigin?: boolean;
  /** The certificate of an attestation; default: no attestation. */
  certificate?: Buffer;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

export class SoftPasskey {
  readonly id = randomBytes(16).toString("base64url");
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #rpId = "";
  #userHandle = "";
  counter = 0;

  /** The answer to `create`. */
  create(asked: Asked, origin: string, faults: Faults = {}) {
    this.#rpId = asked.rp?.id ?? "";
    this.#userHandle = asked.user?.id ?? "";
    const jwk = this.#keys.publicKey.export({ format: "jwk" });
    const point = (text = ""): Buffer => bytes(Buffer.from(text, "base64url"));
    // COSE (RFC 9053): EC2, ES256, P-256, x, y.
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      point(jwk.x),
      Buffer.from([0x22]),
      point(jwk.y),
    ]);
    const credential = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credential.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, credential, key]);
    const data = Buffer.concat([this.#head(WITH_CREDENTIAL, faults), attested]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      text("fmt"),
      ...attestationOf(faults.certificate),
      text("authData"),
      bytes(data),
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key" as const,
      response: {
        clientDataJSON: clientData(asked, origin, { type: "webauthn.create", ...faults }),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** The answer to `get`. */
  get(asked: Asked, origin: string, faults: Faults = {}) {
    const client = clientData(asked, origin, { type: "webauthn.get", ...faults });
    const data = this.#head(0, faults);
    const hash = createHash("sha256").update(Buffer.from(client, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), faults.key ?? this.#keys.privateKey);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key" as const,
      response: {
        clientDataJSON: client,
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: faults.userHandle ?? this.#userHandle,
      },
    };
  }

  #head(more: number, { rpId = this.#rpId, unverified = false, counter = this.counter }: Faults): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([
      createHash("sha256").update(rpId).digest(),
      Buffer.from([PRESENT | (unverified ? 0 : VERIFIED) | more]),
      count,
    ]);
  }
}

function clientData(asked: Asked, origin: string, { type, challenge, crossOrigin = false }: Faults): string {
  const data = { type, challenge: challenge ?? asked.challenge, origin, crossOrigin };
  return Buffer.from(JSON.stringify(data)).toString("base64url");
}

/** The format `packed` with a certificate, or `none`. */
function attestationOf(certificate: Buffer | undefined): Buffer[] {
  if (certificate === undefined) return [text("none"), text("attStmt"), Buffer.from([0xa0])];
  const [three, es256, one] = [0xa3, 0x26, 0x81].map((byte) => Buffer.from([byte]));
  const signature = bytes(randomBytes(70));
  const parts = [three, text("alg"), es256, text("sig"), signature, text("x5c"), one, bytes(certificate)];
  return [text("packed"), text("attStmt"), ...parts.filter((part) => part !== undefined)];
}

// CBOR (RFC 8949): a text of less than 24 bytes, and bytes of 24 to 65,535.
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

function bytes(value: Buffer): Buffer {
  const { length } = value;
  const head = length < 0x100 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
