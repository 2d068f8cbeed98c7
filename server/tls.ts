// Reads and checks the certificate and the key of the server.
import type { KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TlsFiles } from "../src/config";
import { nodeCrypto } from "../src/crypto";
import { configurationError } from "../src/errors";

export interface Tls {
  cert: string;
  key: string;
  /** Expiry of the certificate, milliseconds since the epoch. */
  endsAt: number;
}

/** Of TLS 1.2: forward secrecy and authenticated encryption only (RFC 9325, section 4.2). TLS 1.3 has no others. */
const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");
/**
 * The server chooses the cipher, and hands out no session tickets: their key would live as long as the process, and open
 * recorded connections (openssl/ssl.h: SSL_OP_CIPHER_SERVER_PREFERENCE, SSL_OP_NO_TICKET).
 */
export const TLS_OPTIONS = { ciphers: CIPHERS, secureOptions: 0x0040_0000 | 0x4000 };

/** Throws `configuration`: a file that cannot be read or is not PEM, a key that belongs to another certificate. */
export function readTls({ cert: certFile, key: keyFile }: TlsFiles): Tls {
  const cert = read("tls.cert", certFile);
  const key = read("tls.key", keyFile);
  const certificate = parsed(`tls.cert: ${certFile} is not a certificate in PEM form`, () => {
    return new (nodeCrypto().X509Certificate)(cert);
  });
  const privateKey = parsed(
    `tls.key: ${keyFile} is not a private key in PEM form, or it has a passphrase`,
    () => {
      return nodeCrypto().createPrivateKey(key);
    },
  );
  if (!belongs(certificate, privateKey)) {
    throw configurationError(
      `tls.key: the key in ${keyFile} does not belong to the certificate in ${certFile}.`,
    );
  }
  return { cert, key, endsAt: Date.parse(certificate.validTo) };
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw configurationError(`${name}: ${file} cannot be read.`, { cause: error });
  }
}

function parsed<T>(complaint: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw configurationError(`${complaint}.`, { cause: error });
  }
}

function belongs(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.checkPrivateKey(key);
  } catch {
    return false;
  }
}
