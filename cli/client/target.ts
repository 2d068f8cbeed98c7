// Where a command runs: on a server (by flag, environment, file or login), or on the data folder; and the key for the
// server. A key is never an argument, because other users can see arguments.
import { withoutTrailingSlashes } from "../../src/base/trailing";
import { invalidAuthorization } from "../../src/errors";
import type { Config } from "../../src/config";
import type { Common } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import type { SignIn } from "../sign-in/tokens";
import { readLogins } from "./logins";

/** Selects the data folder when a server is configured. */
export const LOCAL = "local";

export interface Target {
  /** Without a slash at the end. */
  address: string;
  /** Undefined: only public operations are possible, unless there is a sign-in. */
  key: string | undefined;
  /** The sign-in of a person, instead of a key. */
  signIn?: SignIn | undefined;
}

/** Undefined: the data folder. Throws `usage` or `invalid_authorization` naming what is missing. */
export async function targetOf(io: Io, common: Common, config: Config): Promise<Target | undefined> {
  const address = addressOf(common, config);
  if (address === undefined) return undefined;
  const credential = await credentialOf(io, common, config, address);
  if (credential !== undefined) return { address, ...credential };
  throw invalidAuthorization(
    `No API key for ${address}. Use --key-file FILE or RUNTIME_API_KEY, or log in once: runtime login ${address}`,
  );
}

/** The key from flag or environment, else what a login has stored; undefined: neither. */
export async function credentialOf(
  io: Io,
  common: Common,
  config: Config,
  address: string,
): Promise<Omit<Target, "address"> | undefined> {
  const key = await keyOf(io, common, config);
  if (key !== undefined) return { key };
  const logins = readLogins(config);
  const stored = logins?.keys[address];
  if (stored !== undefined) return { key: stored };
  if (logins?.people[address] === undefined) return undefined;
  const { storedSignIn } = await import("../sign-in/tokens");
  return { key: undefined, signIn: storedSignIn(config, address) };
}

/** The server's address from flag, configuration or login; undefined: the data folder. */
export function addressOf(common: Common, config: Config): string | undefined {
  const { server: flag, dataDir, database } = common;
  if (flag === LOCAL) return undefined;
  if (flag !== undefined && dataDir !== undefined) {
    throw new UsageError("--server and --data-dir exclude each other. Use one of them.");
  }
  if (flag !== undefined && database !== undefined) {
    throw new UsageError("--server and --database exclude each other. Use one of them.");
  }
  if (flag !== undefined) return serverAddress(flag);
  if (dataDir !== undefined || database !== undefined) return undefined;
  const configured = config.settings.server;
  if (configured === LOCAL) return undefined;
  return configured === undefined ? readLogins(config)?.current : serverAddress(configured);
}

/** Throws `usage` for a text that is not the address of a server. `flag` names its origin. */
export function serverAddress(text: string, flag = "--server"): string {
  const url = URL.parse(text);
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (!plain || url.username !== "" || url.password !== "") {
    throw new UsageError(
      `${flag} takes an address such as https://runtime.example.com${flag === "--server" ? `, or ${LOCAL} for the data folder` : ""}.`,
    );
  }
  return withoutTrailingSlashes(url.href);
}

/** Throws `usage` for a file that does not contain a key. */
async function keyOf(io: Io, { keyFile }: Common, config: Config): Promise<string | undefined> {
  if (keyFile !== undefined) return readKey(io, keyFile);
  if (config.apiKey === undefined) return undefined;
  const { reveal } = await import("../../src/base/redacted");
  return reveal(config.apiKey);
}

/** A key from a file, or from standard input for `-`. */
export async function readKey(io: Io, source: string): Promise<string> {
  const { readText } = await import("../input");
  const key = (await readText(io, source, "--key-file")).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError("--key-file must contain one API key and nothing else.");
}
