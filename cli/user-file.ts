// Settings in `runtime.yaml`: one line is set, and the rest of the file is left unchanged.
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isObject } from "../src/base";
import { type Config, ensureFolder } from "../src/config";
import { configurationError } from "../src/errors";
import { withFileLock } from "./file-lock";
import { modeOf, replaceFile } from "./replace-file";

type Plain = { readonly [key: string]: unknown };

/** Creates a configured but missing configuration file, because other commands require it to exist. */
export function ensureNamedFile(file: string | undefined): void {
  if (file === undefined || file === "" || file.startsWith("~") || existsSync(file)) return;
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  try {
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another command may have created it in this moment, and may have written to it.
    if (!existsSync(file)) throw error;
  }
}

/** Writes `user:` and returns the path. Throws `configuration` if the file cannot be located or changed. */
export async function storeUser(config: Config, user: string): Promise<string> {
  if (config.file === undefined) {
    throw configurationError("The configuration has no home folder. Set RUNTIME_CONFIG or HOME.");
  }
  await storeSetting(config.file, "user", user);
  return config.file;
}

/**
 * Writes one setting, one command after the other; the file is created if it is missing. Throws `configuration` if it cannot be
 * changed safely.
 */
export async function storeSetting(file: string, key: string, value: unknown): Promise<void> {
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  // Next to the file itself, where a link is replaced too. It stays, so it is hidden.
  const target = existsSync(file) ? realpathSync(file) : file;
  const lock = join(dirname(target), `.${basename(target)}.lock`);
  await withFileLock(lock, async () => change(file, key, value));
}

function change(file: string, key: string, value: unknown): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const after = withSetting(before, key, value);
  if (after === undefined)
    throw configurationError(`${file}: the line "${key}:" cannot be changed automatically. Edit it by hand.`);
  if (after !== before) replaceFile(file, after, modeOf(file) ?? 0o600);
}

/** The text with its line `user:` set or added; undefined if that would change anything else. */
export function withUser(text: string, user: string): string | undefined {
  return withSetting(text, "user", user);
}

/** The text with a setting, where it is written already (`a.b: 1`, or `b: 1` below `a:`), or at the end. */
export function withSetting(text: string, key: string, value: unknown): string | undefined {
  const before = parse(text);
  if (before === undefined) return undefined;
  const path = Object.hasOwn(before, key) ? [key] : key.split(".");
  const at = isPresent(before, path) ? lineOf(text.split("\n"), path) : undefined;
  const [next, place] =
    at === undefined ? [appended(text, key, value), [key]] : [replaced(text, at, value), path];
  return Bun.deepEquals(parse(next), changed(before, place, value)) ? next : undefined;
}

function isPresent(record: unknown, [first = "", ...rest]: readonly string[]): boolean {
  if (!isObject(record) || !Object.hasOwn(record, first)) return false;
  return rest.length === 0 || isPresent(record[first], rest);
}

/** The line of a key, below the lines of its parents. */
function lineOf(lines: readonly string[], path: readonly string[]): number | undefined {
  let at = -1;
  let indent = -1;
  for (const part of path) {
    const found = lines.findIndex((line, index) => {
      const start = line.length - line.trimStart().length;
      return (
        index > at && (indent < 0 ? start === 0 : start > indent) && line.trimStart().startsWith(`${part}:`)
      );
    });
    if (found < 0) return undefined;
    const line = lines[found] ?? "";
    [at, indent] = [found, line.length - line.trimStart().length];
  }
  return at;
}

// JSON is valid YAML.
function replaced(text: string, at: number, value: unknown): string {
  const lines = text.split("\n");
  const [start = ""] = /^[^:]*:/.exec(lines[at] ?? "") ?? [];
  return lines.with(at, `${start} ${JSON.stringify(value)}`).join("\n");
}

function appended(text: string, key: string, value: unknown): string {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${key}: ${JSON.stringify(value)}\n`;
}

function changed(record: Plain, [first = "", ...rest]: readonly string[], value: unknown): Plain {
  const inner = record[first];
  return {
    ...record,
    [first]: rest.length === 0 ? value : changed(isObject(inner) ? inner : {}, rest, value),
  };
}

function parse(text: string): Plain | undefined {
  try {
    const value: unknown = Bun.YAML.parse(text) ?? {};
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
