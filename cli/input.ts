// Text and JSON from files and standard input.
import { readFileSync } from "node:fs";
import { hasNul, isObject, type Json, parseJson } from "../src/base";
import { malformedRequest } from "../src/errors";
import { UsageError } from "./errors";
import type { Io } from "./io";

/** The text of a file, or of standard input for `-`. `what` names it in messages. */
export async function readText(io: Io, source: string, what: string): Promise<string> {
  return decoded(source === "-" ? await readStdin(io, what) : readFile(source, what), what);
}

/** JSON with exact digits. Throws `usage`. */
export async function readJson(io: Io, source: string, what: string): Promise<Json> {
  return parsed(await readText(io, source, what), what);
}

/** The JSON object of `--file`, a file or `-`. Throws `usage`. */
export async function readObject(io: Io, file: string): Promise<{ [key: string]: unknown }> {
  const record = await readJson(io, file, "--file");
  if (isObject(record)) return record;
  throw new UsageError("--file must contain one JSON object.");
}

export function objectOr(value: unknown): { [key: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/**
 * The JSON value of a flag: text that begins with a bracket is the JSON itself, `-` is standard input, and everything
 * else is a file (also `@file`, for a name that begins with a bracket). Throws `usage`.
 */
export async function readJsonFlag(io: Io, text: string, flag: string): Promise<Json> {
  if (/^\s*[[{]/.test(text)) return parsed(text, flag);
  return readJson(io, text.replace(/^@/, ""), flag);
}

function parsed(text: string, what: string): Json {
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    throw new UsageError(`${what} is not valid JSON.`);
  }
  if (hasNul(value)) throw new UsageError(`${what} contains the NUL character.`);
  return value;
}

/** Removes the one line end that `echo` adds; any others belong to the value. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function decoded(bytes: Uint8Array, what: string): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || looksLikeUtf16(bytes)) {
    throw malformedRequest(
      `${what} is UTF-16 text. Write it as UTF-8 (in PowerShell: $OutputEncoding, or -Encoding utf8).`,
    );
  }
  try {
    // The decoder removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformedRequest(`${what} is not UTF-8 text.`);
  }
}

// UTF-16 without a byte order mark: every other byte of ASCII letters is zero.
function looksLikeUtf16(bytes: Uint8Array): boolean {
  return bytes.length >= 2 && (bytes[0] === 0) !== (bytes[1] === 0);
}

function readFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = code === "ENOENT" ? "the file does not exist" : `it cannot be read (${code})`;
    throw new UsageError(`${what}: ${path}: ${reason}.`);
  }
}

async function readStdin(io: Io, what: string): Promise<Uint8Array> {
  try {
    return await io.stdin();
  } catch {
    throw new UsageError(`${what}: standard input cannot be read.`);
  }
}
