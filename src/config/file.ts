// Reads `runtime.yaml` and flattens it to dotted keys. Unknown keys are errors.
import { existsSync, readFileSync } from "node:fs";
import { isObject, nearest } from "../base";
import { configurationError } from "../errors";
import { ConfigFileError } from "./errors";
import type { SettingDeclarations } from "./keys";

/**
 * The values of a configuration file by key. A missing file has none, unless it is `required`.
 * Throws `configuration` with the file, the key and the rule in one line.
 */
export function readConfigFile(
  file: string,
  required: boolean,
  declarations: SettingDeclarations,
): Map<string, unknown> {
  if (!existsSync(file)) {
    if (required) throw configurationError(`${file}: the configuration file does not exist.`);
    return new Map();
  }
  const values = new Map<string, unknown>();
  for (const [key, value] of flatten(parse(file), file, Object.keys(declarations))) {
    if (!Object.hasOwn(declarations, key)) throw unknownKey(file, key, Object.keys(declarations));
    if (declarations[key]?.secret)
      throw new ConfigFileError(file, `"${key}" is not read from the file. Set it in the environment.`, key);
    // With dots in one place and nested in another.
    if (values.has(key)) throw new ConfigFileError(file, `"${key}" is given twice.`, key);
    values.set(key, value);
  }
  return values;
}

function parse(file: string): { [key: string]: unknown } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw configurationError(`${file}: the configuration file cannot be read.`, { cause: error });
  }
  try {
    const parsed: unknown = Bun.YAML.parse(text) ?? {};
    if (isObject(parsed)) return parsed;
  } catch (error) {
    throw new ConfigFileError(file, "the configuration file is not valid YAML.", undefined, { cause: error });
  }
  throw configurationError(`${file}: the configuration file must contain keys with values.`);
}

function* flatten(
  object: { [key: string]: unknown },
  file: string,
  keys: readonly string[],
  prefix = "",
): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key;
    if (value === null && (keys.includes(name) || isGroup(name, keys))) continue;
    if (!isObject(value)) yield [name, value];
    else if (isGroup(name, keys)) yield* flatten(value, file, keys, `${name}.`);
    else
      throw keys.includes(name)
        ? new ConfigFileError(file, `"${name}" does not take nested keys.`, name)
        : unknownKey(file, name, keys);
  }
}

function isGroup(name: string, keys: readonly string[]): boolean {
  return keys.some((key) => key.startsWith(`${name}.`));
}

function unknownKey(file: string, key: string, keys: readonly string[]): Error {
  if (isGroup(key, keys)) return new ConfigFileError(file, `"${key}" takes nested keys, not a value.`, key);
  const groups = keys.flatMap((name) => name.split(".").slice(0, -1));
  // `http.port` for `port`, too.
  const last = key.slice(key.lastIndexOf(".") + 1);
  const suggestion =
    nearest(key, [...keys, ...groups]) ?? keys.find((known) => known === last || known.endsWith(`.${last}`));
  const advice = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
  return new ConfigFileError(file, `unknown key "${key}"${advice}`, key);
}
