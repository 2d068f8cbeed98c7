// Atomic writes of files.
import { existsSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";

/** Replaces the file atomically. A symbolic link stays a link. */
export function replaceFile(file: string, text: string, mode: number): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const draft = `${target}.${process.pid}.new`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, target);
}

/** The permissions of a file; undefined if it does not exist. */
export function modeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mode & 0o777;
}
