// How often a server tries to make a backup that fails.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { BackupKeeper } from "../../src/backup";
import { silentLog, systemClock } from "../../src/base";
import type { Core } from "../../src/core";
import { temporaryFolder } from "../support/temporary";

const MINUTE = 60_000;

test("waits longer after each failure, up to an hour, and not after a success", async () => {
  const waits: number[] = [];
  const ended = Promise.withResolvers<void>();
  const clock = {
    ...systemClock,
    now: () => systemClock.now(),
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms / MINUTE);
      if (waits.length < 10) return Promise.resolve();
      ended.resolve();
      return new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    },
  };
  const settings = { "backup.hours": 24, "backup.keep": 3, "backup.recipients": [] };
  const store = { write: async () => undefined };
  const core = { clock, settings, store, log: silentLog } as unknown as Core;
  const keeper = new BackupKeeper(core, temporaryFolder(), async (file) => {
    if (waits.length < 8) throw new Error("the disk is full");
    writeFileSync(file, "");
    return true;
  });

  const stop = keeper.start();
  await ended.promise;
  await stop();

  expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60, 1, 1]);
});

test("makes none of PostgreSQL, and says so", async () => {
  const lines: string[] = [];
  const log = { ...silentLog, error: (message: string) => void lines.push(message) };
  const settings = { "backup.hours": 24, "database.url": "postgres://runtime@db1/runtime" };
  const core = { clock: systemClock, settings, log } as unknown as Core;
  const made: string[] = [];
  const keeper = new BackupKeeper(core, temporaryFolder(), async (file) => made.push(file) > 0);

  await keeper.start()();

  expect(made).toEqual([]);
  expect(lines).toEqual(["no backups are made: backup.hours is set, but servers do not back up PostgreSQL"]);
});
