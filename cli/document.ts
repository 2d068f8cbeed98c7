// A document for `runtime apply`: YAML or JSON, with values that come from elsewhere put in.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject } from "../src/base/json";
import { malformedRequest } from "../src/errors";
import { UsageError } from "./errors";
import { readText, withoutLineEnd } from "./input";
import type { Io } from "./io";

/** Sections of records whose credentials are no must. */
const KEEPING = ["plugins", "providers", "models"];

/** Throws `usage` for a file that cannot be read, `malformed_request` for what is no document. */
export async function readDocument(io: Io, file: string): Promise<{ [key: string]: unknown }> {
  const text = await readText(io, file, "--file");
  const value = parsed(text);
  const folder = file === "-" ? process.cwd() : dirname(resolve(file));
  const filled = withValues(io, folder, value);
  if (isObject(filled)) return filled;
  throw malformedRequest("--file must hold one document: an object with providers, secrets, settings.");
}

// JSON is YAML too, but for what is near to it and broken the message of the right parser helps.
function parsed(text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch {
    throw malformedRequest("--file is not valid YAML or JSON.");
  }
}

/**
 * `value_from: {env: NAME}` becomes `value`; a variable that is not set leaves the field out. Where a record may have a
 * credential or not, it is kept then: one that is there stays, and one that is lacking is missing.
 */
function withValues(io: Io, folder: string, value: unknown, keepsUnset = false): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withValues(io, folder, item, keepsUnset));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (!key.endsWith("_from") || !isObject(inner))
      return [[key, withValues(io, folder, inner, keepsUnset || KEEPING.includes(key))]];
    const text = valueFrom(io, folder, key, inner);
    if (text === undefined) return keepsUnset ? [[key, inner]] : [];
    return [[key.slice(0, -"_from".length), text]];
  });
  return Object.fromEntries(entries);
}

function valueFrom(
  io: Io,
  folder: string,
  key: string,
  { env, file }: { [key: string]: unknown },
): string | undefined {
  if (typeof env === "string") return io.env[env];
  if (typeof file !== "string") throw malformedRequest(`${key} takes {env: VARIABLE} or {file: PATH}.`);
  const path = resolve(folder, file);
  try {
    return withoutLineEnd(readFileSync(path, "utf8"));
  } catch {
    throw new UsageError(`${key}: ${path} cannot be read.`);
  }
}
