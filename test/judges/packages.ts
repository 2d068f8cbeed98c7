// The judges: large packages that only these tests need, installed into this folder when one first needs them.
import { existsSync } from "node:fs";
import { join } from "node:path";

export const FOLDER = import.meta.dir;
const INSTALL_MS = 300_000;

/** The path of a file in a package. Throws if the packages are missing and cannot be installed. */
export function judge(...path: string[]): string {
  install();
  return join(FOLDER, "node_modules", ...path);
}

function install(): void {
  if (existsSync(join(FOLDER, "node_modules", "openapi-typescript"))) return;
  const options = { cwd: FOLDER, timeout: INSTALL_MS };
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], options);
  if (exitCode !== 0) throw new Error(`The judges could not be installed: ${stderr.toString()}`);
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, without the variables of this process. */
export async function run(command: readonly string[], cwd = FOLDER, timeout = 120_000): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, CI: "true" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}
