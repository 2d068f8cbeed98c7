// Large test packages that not everybody needs: installed into `peers/` when a test first needs them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { test } from "bun:test";
import { testWith } from "../../support/require";

const FOLDER = join(import.meta.dir, "peers");
const PROGRAMS = join(import.meta.dir, "programs");
const INSTALL_MS = 120_000;

/** The path of a package in `peers/`, or of a file in it. */
export function peer(...path: string[]): string {
  return join(FOLDER, "node_modules", ...path);
}

/** The path of a file of a package in `programs/`. */
export function program(...path: string[]): string {
  return join(PROGRAMS, "node_modules", ...path);
}

/** The same for `programs/`. */
export function testWithPrograms(): typeof test {
  const runs = process.platform === "linux" && process.arch === "x64";
  return testWith("MCP programs (bun install needs the network)", runs && installed(PROGRAMS, "mcp-remote"));
}

/** `test` if the packages are or can be installed; otherwise a skipped test with the reason. */
export function testWithPeers(): typeof test {
  return testWith(
    "the folder of MCP judges (bun install needs the network)",
    installed(FOLDER, "@modelcontextprotocol", "inspector"),
  );
}

function installed(folder: string, ...name: string[]): boolean {
  if (existsSync(join(folder, "node_modules", ...name))) return true;
  const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
    cwd: folder,
    timeout: INSTALL_MS,
  });
  return exitCode === 0;
}
