// The last lines of a server's log from a file that the operator names: only lines of ours, and none at debug, which name
// users. What else is in the file may be of other programs.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isObject, LOG_LEVELS } from "../base";

const MOST_BYTES = 1_048_576;
const MOST_LINES = 1000;
const TEXT = /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z (?:info|warn|error) /;

export interface FileLines {
  lines: string[];
  /** Lines of the part that was read which are not in the bundle. */
  left_out: number;
}

/** Throws the errors of the file system. */
export function linesOfFile(file: string): FileLines {
  const all = endOf(file)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const ours = all.flatMap((line) => ourLine(line) ?? []);
  return { lines: ours.slice(-MOST_LINES), left_out: all.length - Math.min(ours.length, MOST_LINES) };
}

function endOf(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(descriptor);
  }
}

/** The line without what a service manager puts before it. */
function ourLine(line: string): string | undefined {
  const json = line.indexOf('{"time":"');
  if (json >= 0) return isShown(line.slice(json)) ? line.slice(json) : undefined;
  const time = line.search(/\d{4}-\d\d-\d\dT/);
  const text = time < 0 ? line : line.slice(time);
  return TEXT.test(text) ? text : undefined;
}

function isShown(text: string): boolean {
  try {
    const line: unknown = JSON.parse(text);
    if (!isObject(line) || typeof line["message"] !== "string") return false;
    return LOG_LEVELS.some((level) => level !== "debug" && level === line["level"]);
  } catch {
    return false;
  }
}
