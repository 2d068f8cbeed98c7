// A JSON file of another program: records are added or replaced by their names, everything else stays.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isObject, type JsonObject } from "../src/base";
import { configurationError } from "../src/errors";

/** Merges a record into the file, two levels deep; makes the file when there is none. Throws `configuration`. */
export function mergeInto(path: string, config: JsonObject): void {
  const before = existsSync(path) ? parsed(path) : {};
  const after: { [key: string]: unknown } = { ...before };
  for (const [key, value] of Object.entries(config)) after[key] = merged(before[key], value);
  mkdirSync(dirname(path), { recursive: true });
  replace(path, `${JSON.stringify(after, null, 2)}\n`);
}

function merged(before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = Array.isArray(before) ? before : [];
    const ids = value.map(idOf);
    return [...kept.filter((item) => !ids.includes(idOf(item))), ...value];
  }
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
}

function idOf(item: unknown): unknown {
  return isObject(item) ? item["id"] : item;
}

// Comments would be lost: a file that holds any is left alone.
function parsed(path: string): { [key: string]: unknown } {
  const text = readFileSync(path, "utf8");
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw configurationError(`${path} is not plain JSON and is left as it is. Add by hand what is printed.`, {
      cause: error,
    });
  }
  throw configurationError(`${path} does not hold one JSON object and is left as it is.`);
}

// Whole or not at all; a link stays a link.
function replace(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644;
  const draft = `${target}.${process.pid}.new`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, target);
}
