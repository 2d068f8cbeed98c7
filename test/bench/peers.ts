// Other programs for comparisons: installed into this folder when a bench first needs them.
import { existsSync } from "node:fs";
import { join } from "node:path";

const INSTALL_MS = 180_000;

/** Whether a package exists or could be installed. */
export function hasPeer(name: string): boolean {
  const folder = join(import.meta.dir, "node_modules", name);
  if (!existsSync(folder)) install();
  return existsSync(folder);
}

/** The path of a file of a package. Throws when it cannot be installed. */
export function peer(name: string, ...path: string[]): string {
  if (!hasPeer(name)) throw new Error(`${name} could not be installed: is there a network?`);
  return join(import.meta.dir, "node_modules", name, ...path);
}

/** The program that runs Node programs: Node if it exists, otherwise Bun. */
export function node(): string {
  return Bun.which("node") ?? process.execPath;
}

function install(): void {
  Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
    cwd: import.meta.dir,
    timeout: INSTALL_MS,
  });
}
