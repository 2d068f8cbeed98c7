// A server whose data is on a small disk of its own, which a test fills.
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { mountDisk, testOnDisk, unmountDisk } from "../small-disk";
import type { Cluster, ClusterOptions } from "./cluster";
import { startCluster } from "./cluster";
import { giveToOwner, guardedFolder, hasPostgres, testOnPostgres } from "./programs";

/** `test`, or a skipped test where PostgreSQL is not installed or no disk can be mounted. */
export const testOnFullDisk = hasPostgres ? testOnDisk : testOnPostgres;

export interface SmallDisk extends AsyncDisposable {
  readonly cluster: Cluster;
  /** Takes all space that is left. The server stops if it cannot write its log of changes. */
  fill(): void;
  /** Gives it back. A server that stopped has to be started again. */
  free(): void;
}

/** An empty cluster needs 40 MB. */
export async function startOnSmallDisk(megabytes = 96, options: ClusterOptions = {}): Promise<SmallDisk> {
  const folder = mountDisk(megabytes, guardedFolder("disk"));
  if (folder === undefined) throw new Error("mounting a tmpfs is not allowed here");
  giveToOwner(folder, 0o700);
  const cluster = await startCluster({ ...options, folder: join(folder, "data") });
  const ballast = join(folder, "ballast");
  return {
    cluster,
    fill: () => fillWith(ballast),
    free: () => rmSync(ballast, { force: true }),
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]();
      unmountDisk(folder);
    },
  };
}

function fillWith(path: string): void {
  const file = openSync(path, "a");
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const block = new Uint8Array(size);
      while (wrote(file, block));
    }
  } finally {
    closeSync(file);
  }
}

function wrote(file: number, block: Uint8Array): boolean {
  try {
    return writeSync(file, block) > 0;
  } catch (error) {
    if (Object(error).code === "ENOSPC") return false;
    throw error;
  }
}
