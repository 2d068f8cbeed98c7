// The default user in `runtime.yaml`. The file is the person's: one line of it is set, everything else stays.
import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../src/base";
import { type Config, ensureFolder } from "../src/config";
import { configurationError } from "../src/errors";

/** A configuration file that is named must exist; `init` is where it begins to. */
export function ensureNamedFile(file: string | undefined): void {
  if (file === undefined || file === "" || file.startsWith("~") || existsSync(file)) return;
  ensureFolder(dirname(file), "RUNTIME_CONFIG");
  writeFileSync(file, "", { mode: 0o600 });
}

/** Writes `user:` and answers the file. Throws `configuration` when there is no file to write, or none to be changed. */
export function rememberUser(config: Config, user: string): string {
  if (config.file === undefined) {
    throw configurationError("There is no home folder for the configuration. Set RUNTIME_CONFIG, or HOME.");
  }
  ensureFolder(dirname(config.file), "RUNTIME_CONFIG");
  const before = existsSync(config.file) ? readFileSync(config.file, "utf8") : "";
  const after = withUser(before, user);
  if (after === undefined)
    throw configurationError(`${config.file}: the line "user:" cannot be changed here. Set it by hand.`);
  if (after !== before) replace(config.file, after);
  return config.file;
}

/** The text with its line `user:` set or added; undefined when that would change anything else. */
export function withUser(text: string, user: string): string | undefined {
  // A JSON text is a YAML text in double quotes.
  const line = `user: ${JSON.stringify(user)}`;
  const present = /^user:.*$/m;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const next = present.test(text) ? text.replace(present, () => line) : `${text}${gap}${line}\n`;
  const [was, is] = [parse(text), parse(next)];
  const expected = was === undefined ? undefined : { ...was, user };
  return is !== undefined && Bun.deepEquals(is, expected) ? next : undefined;
}

function parse(text: string): { [key: string]: unknown } | undefined {
  try {
    const value: unknown = Bun.YAML.parse(text) ?? {};
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Whole or not at all; a link stays a link.
function replace(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
  const draft = `${target}.${process.pid}.new`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, target);
}
