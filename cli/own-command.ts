// How this program starts itself.
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The command that starts this program from any folder and without a PATH. */
export function ownCommand(): string[] {
  // An executable contains its sources, so its program is not a file.
  const source = join(import.meta.dir, "main.ts");
  return existsSync(source) ? [process.execPath, source] : [process.execPath];
}
