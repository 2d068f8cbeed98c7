// Where the servers of a database are, and how TLS is used with each.
import { readFile } from "node:fs/promises";
import { exposedMode, isLoopback, shellWord } from "../../base";
import type { DatabaseHost, DatabaseTls, TlsMode } from "../../config";
import { configurationError } from "../../errors";

/** What a connection to one host uses. The files are read, so that replaced certificates are used at the next connect. */
export interface HostTls {
  mode: TlsMode;
  /** The authorities to trust (PEM); undefined: those that are public. */
  ca: string | undefined;
  client: { cert: string; key: string } | undefined;
}

/**
 * The mode of a host. Without `sslmode` the server of another machine must prove its identity, because else anybody between
 * could ask for the password in clear text; on this machine TLS is used if the server has it. As in libpq, `require` with
 * root certificates checks them, and a socket never uses TLS.
 */
export function tlsModeOf({ host, socket }: DatabaseHost, { mode, rootCert }: DatabaseTls): TlsMode {
  if (socket !== undefined) return "disable";
  if (mode === "require" && rootCert !== undefined) return "verify-ca";
  if (mode !== undefined) return mode;
  const isHere = isLoopback(host.includes(":") ? `[${host}]` : host);
  return isHere && rootCert === undefined ? "prefer" : "verify-full";
}

/** Throws `configuration` for a file that cannot be read, or a key that others can read. */
export async function hostTlsOf(host: DatabaseHost, tls: DatabaseTls): Promise<HostTls> {
  const mode = tlsModeOf(host, tls);
  if (mode === "disable") return { mode, ca: undefined, client: undefined };
  const { rootCert, cert, key } = tls;
  const isVerified = mode === "verify-ca" || mode === "verify-full";
  return {
    mode,
    ca:
      !isVerified || rootCert === undefined || rootCert === "system"
        ? undefined
        : await read("sslrootcert", rootCert),
    client:
      cert === undefined || key === undefined
        ? undefined
        : { cert: await read("sslcert", cert), key: await readKey(key) },
  };
}

async function readKey(file: string): Promise<string> {
  const mode = exposedMode(file);
  if (mode === undefined) return read("sslkey", file);
  throw configurationError(
    `Other users can read or replace the sslkey ${file} of the database URL (mode ${mode}). Run: chmod 600 ${shellWord(file)}`,
  );
}

async function read(parameter: string, file: string): Promise<string> {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    cause = error;
  }
  if (text?.includes("-----BEGIN ") === true) return text;
  throw configurationError(
    `The ${parameter} ${file} of the database URL ${text === undefined ? "cannot be read" : "is not in the format PEM"}. ` +
      "Use the absolute path of a PEM file that the user that runs runtime can read.",
    { cause },
  );
}
