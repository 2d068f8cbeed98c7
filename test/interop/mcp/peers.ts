// Large test packages that not everybody needs: installed into `peers/` when a test first needs them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { test } from "bun:test";
import { testWith } from "../../support/require";

const FOLDER = join(import.meta.dir, "peers");
const INSTALL_MS = 120_000;

/** The path of a package in `peers/`, or of a file in it. */
export function peer(...path: string[]): string {
  return join(FOLDER, "node_modules", ...path);
}

/** `test` if the packages are or can be installed; otherwise a skipped test with the reason. */
export function testWithPeers(): typeof test {
  return testWith("the folder of MCP judges (bun install needs the network)", installed());
}

function installed(): boolean {
  if (existsSync(peer("@modelcontextprotocol", "inspector"))) return true;
  const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
    cwd: FOLDER,
    timeout: INSTALL_MS,
  });
  return exitCode === 0;
}
