// What becomes of the backups of a server whose clock is wrong for a while.
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { BackupKeeper } from "../../src/backup";
import { temporaryFolder } from "../support/temporary";
import { deploy, type Deployment } from "../tools/deployment";

const MINUTE_MS = 60_000;
const DAY = 24 * 60;
const YEAR_MS = 365 * DAY * MINUTE_MS;

/** The keeper of one server looks for so many minutes, then the clock jumps, and so on. Returns the files after each step. */
async function keep(
  { runtime, clock }: Deployment,
  folder: string,
  steps: readonly { minutes: number; jumpMs: number }[],
): Promise<string[][]> {
  const seen: string[][] = [];
  const ended = Promise.withResolvers<void>();
  const rest = [...steps];
  let left = rest[0]?.minutes ?? 0;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    clock.move(ms);
    left--;
    if (left > 0) return;
    seen.push(readdirSync(folder).toSorted());
    clock.jump(rest.shift()?.jumpMs ?? 0);
    left = rest[0]?.minutes ?? 0;
    if (rest.length > 0) return;
    ended.resolve();
    await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  };
  const core = { ...runtime.core, clock: { now: clock.now, monotonic: clock.monotonic, sleep } };
  const stop = new BackupKeeper(core, folder, async (file) => {
    writeFileSync(file, "");
    return true;
  }).start();
  await ended.promise;
  await stop();
  return seen;
}

function settings(count: number): Record<string, string> {
  return { RUNTIME_BACKUP_HOURS: "24", RUNTIME_BACKUP_KEEP: String(count) };
}

test.each([1, 3])("a clock that is a year ahead for a minute costs none of %d backups", async (count) => {
  await using deployment = await deploy({ environment: settings(count) });
  const folder = temporaryFolder();

  const [before = [], ahead = [], after = [], later = []] = await keep(deployment, folder, [
    { minutes: 5 * DAY - 60, jumpMs: YEAR_MS },
    { minutes: 2, jumpMs: -YEAR_MS },
    { minutes: 10, jumpMs: 0 },
    { minutes: 2 * DAY, jumpMs: 0 },
  ]);

  const future = ahead.filter((name) => !before.includes(name));
  expect(before).toHaveLength(count);
  expect(future).toHaveLength(1);
  expect(ahead).toEqual([...before, ...future]);
  expect(after).toEqual(ahead);
  // The next ones come by the day, and again so many are kept.
  const newer = later.filter((name) => !future.includes(name));
  expect(newer).toHaveLength(count);
  expect(newer.filter((name) => !before.includes(name))).toHaveLength(Math.min(count, 2));
});

test("a clock that is behind for a while costs none", async () => {
  await using deployment = await deploy({ environment: settings(3) });
  const folder = temporaryFolder();

  const [before = [], behind = [], after = []] = await keep(deployment, folder, [
    { minutes: 5 * DAY - 60, jumpMs: -YEAR_MS },
    { minutes: 10, jumpMs: YEAR_MS },
    { minutes: 10, jumpMs: 0 },
  ]);

  expect(before).toHaveLength(3);
  expect(behind).toHaveLength(4);
  expect(after).toEqual(behind);
});

test("a server that starts with a clock that is far ahead deletes none", async () => {
  await using deployment = await deploy({ environment: settings(1) });
  const folder = temporaryFolder();
  const [before = []] = await keep(deployment, folder, [{ minutes: 3 * DAY, jumpMs: YEAR_MS }]);

  const [ahead = []] = await keep(deployment, folder, [{ minutes: 10, jumpMs: 0 }]);

  expect(before).toHaveLength(1);
  expect(ahead).toHaveLength(2);
  expect(ahead).toContain(before[0] ?? "");
});
