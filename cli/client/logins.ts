// The API keys of servers that the user has logged in to: a file next to the configuration, readable only by its owner.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../src/base/json";
import type { Config } from "../../src/config";
import { configurationError } from "../../src/errors";
import { replaceFile } from "../replace-file";

export interface Logins {
  /** The server that commands run against. */
  current?: string;
  /** Keys by address. */
  keys: { readonly [address: string]: string };
}

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
  const { current } = value;
  return { ...(typeof current === "string" ? { current } : {}), keys: Object.fromEntries(keys) };
}

/** Replaces the file atomically. Throws `configuration` if there is no folder for it. */
export async function writeLogins(config: Config, logins: Logins): Promise<string> {
  const file = fileOf(config);
  if (file === undefined)
    throw configurationError("The key cannot be stored without a home folder. Set RUNTIME_CONFIG or HOME.");
  const { ensureFolder } = await import("../../src/config");
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  replaceFile(file, `${JSON.stringify(logins, null, 2)}\n`, 0o600);
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
