// A disk of its own (tmpfs), for tests that fill it.
import { mkdtempSync, rmSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testIfAllowed } from "./require";

/** The folder of a new disk; undefined if mounting is not allowed here. */
export function mountDisk(megabytes: number, parent = tmpdir()): string | undefined {
  const folder = mkdtempSync(join(parent, "runtime-disk-"));
  const options = `size=${megabytes}m,mode=0700`;
  if (Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).exitCode === 0) return folder;
  rmdirSync(folder);
  return undefined;
}

export function unmountDisk(folder: string): void {
  Bun.spawnSync(["umount", "-l", folder]);
  rmSync(folder, { recursive: true, force: true });
}

const probe = mountDisk(1);
if (probe !== undefined) unmountDisk(probe);

/** `test`, or a skipped test where no disk can be mounted. */
export const testOnDisk = testIfAllowed("mounting a tmpfs", probe !== undefined);
