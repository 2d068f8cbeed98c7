// A configuration file of another program, which its user also edits: read strictly, replaced as a whole or left alone.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { configurationError } from "../src/errors";
import { modeOf, replaceFile } from "./replace-file";

/** Why a file is left alone: the end of a sentence that begins with its name. */
export class NotChanged extends Error {}

/** Changes the text of a file; a missing one is empty and is created. Throws `configuration`, and then changes nothing. */
export function changeFile(path: string, change: (text: string) => string): void {
  try {
    const text = readText(path);
    const start = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    const changed = start + change(text.slice(start.length));
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, changed, modeOf(path) ?? 0o644);
  } catch (error) {
    const reason = error instanceof NotChanged ? error.message : `cannot be written (${reasonOf(error)})`;
    throw configurationError(`${path} ${reason} and was not changed. Add the printed entry by hand.`, {
      cause: error,
    });
  }
}

function readText(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "";
  if (!found.isFile()) throw new NotChanged("is not a regular file");
  try {
    // Another encoding would be damaged by the change.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new NotChanged("is not UTF-8 text");
    throw error;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
