// Texts from files and standard input, as people and their shells write them.
import { readFileSync } from "node:fs";
import { hasNul, type Json, parseJson } from "../src/base";
import { malformedRequest } from "../src/errors";
import { UsageError } from "./errors";
import type { Io } from "./io";

/** The text of a file, or of standard input for `-`. `what` names the flag or word, for messages. */
export async function readText(io: Io, source: string, what: string): Promise<string> {
  return decoded(source === "-" ? await readStdin(io, what) : readFile(source, what), what);
}

/** JSON with exact digits. Throws `malformed_request`. */
export async function readJson(io: Io, source: string, what: string): Promise<Json> {
  return parsed(await readText(io, source, what), what);
}

/**
 * JSON that a flag holds, or names: text that begins with a bracket is the JSON itself, `-` standard input, everything
 * else a file (`@file` too, for one whose name begins with a bracket). Throws `malformed_request`.
 */
export async function readJsonFlag(io: Io, text: string, flag: string): Promise<Json> {
  if (/^\s*[[{]/.test(text)) return parsed(text, flag);
  return readJson(io, text.replace(/^@/, ""), flag);
}

export function parsed(text: string, what: string): Json {
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    throw malformedRequest(`${what} is not valid JSON.`);
  }
  if (hasNul(value)) throw malformedRequest(`${what} holds the NUL character.`);
  return value;
}

/** What a pipe adds to a secret: `echo` one line end, never part of the value. More than one is meant. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function decoded(bytes: Uint8Array, what: string): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || looksWide(bytes)) {
    throw malformedRequest(
      `${what} is UTF-16 text. Write it as UTF-8 (in PowerShell: $OutputEncoding, or -Encoding utf8).`,
    );
  }
  try {
    // Drops a byte order mark by itself.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformedRequest(`${what} is not UTF-8 text.`);
  }
}

// UTF-16 without a mark: every other byte of plain letters is zero.
function looksWide(bytes: Uint8Array): boolean {
  return bytes.length >= 2 && (bytes[0] === 0) !== (bytes[1] === 0);
}

function readFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
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
