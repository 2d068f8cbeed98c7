// A certificate and its key as PEM, for loopback addresses.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../support/certificates";

export function pemPair(name: string): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "runtime-pem-"));
  try {
    const { cert, key } = makeCertificate(folder, name);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
