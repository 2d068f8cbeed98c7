// A JSON file of another program: adds or replaces records by their names and leaves everything else unchanged.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, type JsonObject } from "../src/base";
import { configurationError } from "../src/errors";
import { modeOf, replaceFile } from "./replace-file";

/** Merges a record into the file, two levels deep. Creates a missing file. Throws `configuration`. */
export function mergeInto(path: string, config: JsonObject): void {
  const before = existsSync(path) ? parsed(path) : {};
  const after: { [key: string]: unknown } = { ...before };
  for (const [key, value] of Object.entries(config)) after[key] = merged(before[key], value);
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, `${JSON.stringify(after, null, 2)}\n`, modeOf(path) ?? 0o644);
}

function merged(before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const present = Array.isArray(before) ? before : [];
    const ids = value.map(idOf);
    return [...present.filter((item) => !ids.includes(idOf(item))), ...value];
  }
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
}

function idOf(item: unknown): unknown {
  return isObject(item) ? item["id"] : item;
}

// Writing would lose comments, so a file with comments is not changed.
function parsed(path: string): { [key: string]: unknown } {
  const text = readFileSync(path, "utf8");
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw configurationError(
      `${path} is not plain JSON and was not changed. Add the printed configuration by hand.`,
      {
        cause: error,
      },
    );
  }
  throw configurationError(`${path} does not contain one JSON object and was not changed.`);
}
