// A document for `runtime apply`: YAML or JSON, with values from variables and files filled in.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject } from "../src/base/json";
import { malformedRequest } from "../src/errors";
import { UsageError } from "./errors";
import { readText, withoutLineEnd } from "./input";
import type { Io } from "./io";

/** Sections of records whose credentials are optional. */
const OPTIONAL = ["plugins", "providers", "models"];

/** Throws `usage` for a file that cannot be read, `malformed_request` for an invalid document. */
export async function readDocument(io: Io, file: string): Promise<{ [key: string]: unknown }> {
  const text = await readText(io, file, "--file");
  const value = parsed(text);
  const folder = file === "-" ? process.cwd() : dirname(resolve(file));
  const filled = withValues(io, folder, value);
  if (isObject(filled)) return filled;
  throw malformedRequest("--file must contain one document: an object with providers, secrets, settings.");
}

// JSON is also valid YAML.
function parsed(text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch {
    throw malformedRequest("--file is not valid YAML or JSON.");
  }
}

/**
 * Replaces `value_from: {env: NAME}` with `value`. If the variable is not set, the field is dropped; in records whose
 * credentials are optional it is left in place, so that the server keeps a stored credential or reports a missing one.
 */
function withValues(io: Io, folder: string, value: unknown, leavesUnset = false): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withValues(io, folder, item, leavesUnset));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (!key.endsWith("_from") || !isObject(inner))
      return [[key, withValues(io, folder, inner, leavesUnset || OPTIONAL.includes(key))]];
    const text = valueFrom(io, folder, key, inner);
    if (text === undefined) return leavesUnset ? [[key, inner]] : [];
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
