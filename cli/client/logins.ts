// Keys of servers that the person has logged in to: one file beside the configuration, readable only by its owner.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../src/base/json";
import type { Config } from "../../src/config";
import { configurationError } from "../../src/errors";

export interface Logins {
  /** The server that commands work against. */
  current?: string;
  /** Keys by address. */
  keys: { readonly [address: string]: string };
}

/** Undefined when there are none, or no home folder. Throws `configuration` for a file that cannot be understood. */
export function readLogins(config: Config): Logins | undefined {
  const file = fileOf(config);
  if (file === undefined || !existsSync(file)) return undefined;
  const value = parse(readFileSync(file, "utf8"));
  if (!isObject(value) || !isObject(value["keys"])) {
    throw configurationError(`${file} cannot be understood. Delete it and log in again: runtime login URL`);
  }
  const keys = Object.entries(value["keys"]).filter((entry): entry is [string, string] =>
    entry.every((part) => typeof part === "string"),
  );
  const { current } = value;
  return { ...(typeof current === "string" ? { current } : {}), keys: Object.fromEntries(keys) };
}

/** Whole or not at all. Throws `configuration` when there is no folder for it. */
export async function writeLogins(config: Config, logins: Logins): Promise<string> {
  const file = fileOf(config);
  if (file === undefined)
    throw configurationError("There is no home folder to remember the key in. Set RUNTIME_CONFIG, or HOME.");
  const { ensureFolder } = await import("../../src/config");
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return file;
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
