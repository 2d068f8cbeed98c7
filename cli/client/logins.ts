// The servers that the user has logged in to, with API keys and sign-ins: a file next to the configuration, readable only by
// its owner.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../src/base/json";
import type { Config } from "../../src/config";
import { configurationError } from "../../src/errors";
import { withFileLock } from "../file-lock";
import { FileDraft } from "../replace-file";

/** A person's sign-in at a server. */
export interface StoredSignIn {
  refresh_token: string;
  access_token: string;
  /** Of the access token, ms. */
  expires_at: number;
  user: string;
  project: string;
  /** What the tokens are for (RFC 8707). */
  resource: string;
}

export interface Logins {
  /** The server that commands run against. */
  current?: string;
  /** Keys by address. */
  keys: { readonly [address: string]: string };
  /** Sign-ins by address. An address has a key or a sign-in. */
  people: { readonly [address: string]: StoredSignIn };
}

const NONE: Logins = { keys: {}, people: {} };

/** More than an answer with tokens makes the file longer. */
const GROWTH_BYTES = 32 * 1024;

/** Undefined if there are none, or no home folder. Throws `configuration` for a file that is not valid. */
export function readLogins(config: Config): Logins | undefined {
  const file = fileOf(config);
  if (file === undefined || !existsSync(file)) return undefined;
  const value = parse(readFileSync(file, "utf8"));
  if (!isObject(value) || !isObject(value["keys"])) {
    throw configurationError(`${file} is not valid. Delete it and log in again: runtime login URL`);
  }
  const keys = Object.entries(value["keys"]).filter((entry): entry is [string, string] =>
    entry.every((part) => typeof part === "string"),
  );
  const stored = isObject(value["people"]) ? Object.entries(value["people"]) : [];
  const people = stored.flatMap(([address, entry]) => (isSignIn(entry) ? [[address, entry] as const] : []));
  const { current } = value;
  return {
    ...(typeof current === "string" ? { current } : {}),
    keys: Object.fromEntries(keys),
    people: Object.fromEntries(people),
  };
}

/**
 * Changes the file, which other commands do not change meanwhile, and returns its path. `change` gets what is stored now; if
 * it fails, nothing is changed. It calls `reserve` before it asks a server for what it gives only once, so that a full disk is
 * noticed first. Throws `configuration` if there is no folder for the file, and errors of the file system with its path.
 */
export async function changeLogins(
  config: Config,
  change: (logins: Logins, reserve: () => void) => Promise<Logins | undefined>,
): Promise<string> {
  const file = fileOf(config);
  if (file === undefined)
    throw configurationError("The key cannot be stored without a home folder. Set RUNTIME_CONFIG or HOME.");
  const { ensureFolder } = await import("../../src/config");
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  await withFileLock(`${file}.lock`, async () => {
    using draft = new FileDraft(file, 0o600);
    const changed = await change(readLogins(config) ?? NONE, () => draft.reserve(GROWTH_BYTES));
    if (changed === undefined) return;
    const { people, ...rest } = changed;
    // A file without sign-ins stays as earlier versions know it.
    const record = Object.keys(people).length === 0 ? rest : changed;
    draft.replace(`${JSON.stringify(record, null, 2)}\n`);
  });
  return file;
}

/** The entries of all addresses but one. */
export function withoutAddress<T>(
  entries: { readonly [address: string]: T },
  address: string,
): { readonly [address: string]: T } {
  const { [address]: _removed, ...others } = entries;
  return others;
}

function isSignIn(entry: unknown): entry is StoredSignIn {
  const texts = ["refresh_token", "access_token", "user", "project", "resource"];
  return (
    isObject(entry) &&
    texts.every((name) => typeof entry[name] === "string") &&
    typeof entry["expires_at"] === "number"
  );
}

function fileOf({ file }: Config): string | undefined {
  return file === undefined ? undefined : join(dirname(file), "logins.json");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
