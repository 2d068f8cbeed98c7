// The default user in `runtime.yaml`: one line is set, and the rest of the file is left unchanged.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../src/base";
import { type Config, ensureFolder } from "../src/config";
import { configurationError } from "../src/errors";
import { modeOf, replaceFile } from "./replace-file";

/** Creates a configured but missing configuration file, because other commands require it to exist. */
export function ensureNamedFile(file: string | undefined): void {
  if (file === undefined || file === "" || file.startsWith("~") || existsSync(file)) return;
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  writeFileSync(file, "", { mode: 0o600 });
}

/** Writes `user:` and returns the path. Throws `configuration` if the file cannot be located or changed. */
export function storeUser(config: Config, user: string): string {
  if (config.file === undefined) {
    throw configurationError("The configuration has no home folder. Set RUNTIME_CONFIG or HOME.");
  }
  ensureFolder(dirname(config.file), "RUNTIME_CONFIG");
  const before = existsSync(config.file) ? readFileSync(config.file, "utf8") : "";
  const after = withUser(before, user);
  if (after === undefined)
    throw configurationError(
      `${config.file}: the line "user:" cannot be changed automatically. Edit it by hand.`,
    );
  if (after !== before) replaceFile(config.file, after, modeOf(config.file) ?? 0o600);
  return config.file;
}

/** The text with its line `user:` set or added; undefined if that would change anything else. */
export function withUser(text: string, user: string): string | undefined {
  // A JSON string is a valid double-quoted YAML string.
  const line = `user: ${JSON.stringify(user)}`;
  const present = /^user:.*$/m;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const next = present.test(text) ? text.replace(present, () => line) : `${text}${gap}${line}\n`;
  const [before, after] = [parse(text), parse(next)];
  const expected = before === undefined ? undefined : { ...before, user };
  return after !== undefined && Bun.deepEquals(after, expected) ? next : undefined;
}

function parse(text: string): { [key: string]: unknown } | undefined {
  try {
    const value: unknown = Bun.YAML.parse(text) ?? {};
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
