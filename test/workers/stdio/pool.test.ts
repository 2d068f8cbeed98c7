// When processes of programs start and end: idle time, crashes, and the most that there may be.
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createLog } from "../../../src/base";
import { Backoff } from "../../../src/workers/stdio/backoff";
import { ProcessPool, type Slot, type Start } from "../../../src/workers/stdio/pool";
import type { Programs, ProcessEnd, RunningProgram } from "../../../src/workers/stdio/programs";
import { MovableClock } from "../../tools/deployment";

const home = mkdtempSync(`${tmpdir()}/runtime-pool-`);
afterEach(() => rmSync(home, { recursive: true, force: true }));

class Double implements RunningProgram {
  readonly id = crypto.randomUUID();
  readonly pid = 1;
  readonly output = new ReadableStream<Uint8Array>();
  readonly #ended = Promise.withResolvers<ProcessEnd>();
  readonly ended = this.#ended.promise;
  isOver = false;
  lastErrors = (): string[] => [];
  write = async (): Promise<void> => undefined;
  end = async (): Promise<void> => this.crash(null);

  crash(code: number | null): void {
    this.isOver = true;
    this.#ended.resolve({ code, signal: null });
  }
}

function stage({ most = 10 }: { most?: number } = {}) {
  const clock = new MovableClock();
  const doubles: Double[] = [];
  const programs: Programs = {
    start: async () => {
      const double = new Double();
      doubles.push(double);
      return double;
    },
    close: async () => undefined,
  };
  const log = createLog({ level: "error", clock, write: () => undefined });
  const pool = new ProcessPool({ programs, clock, log, most, generation: async () => "1" });
  const slot = (userId: string, workerId = "w"): Slot => ({
    projectId: "p",
    workerId,
    incarnation: "1",
    userId,
  });
  const spec = {
    command: "x",
    arguments: [],
    environment: {},
    home: tmpdir(),
    sandbox: "cage" as const,
    read: [],
    write: [],
  };
  const start: Start = {
    spec,
    shared: false,
    prepare: async () => undefined,
    changed: () => undefined,
    current: async () => spec,
  };
  return { clock, doubles, pool, slot, start };
}

const running = (doubles: readonly Double[]): number => doubles.filter(({ isOver }) => !isOver).length;

describe("a process", () => {
  test("is the same for the same slot and settings, and another for others", async () => {
    const { pool, slot, start, doubles } = stage();
    const first = await pool.open(slot("alice"), start);

    expect(await pool.open(slot("alice"), start)).toBe(first);
    const changed = { ...start, spec: { ...start.spec, environment: { A: "2" } } };
    expect(await pool.open(slot("alice"), changed)).not.toBe(first);
    expect([doubles.length, running(doubles)]).toEqual([2, 1]);
  });

  test("ends after ten minutes without a call, and not while one waits", async () => {
    const { pool, slot, start, doubles, clock } = stage();
    await pool.open(slot("alice"), start);
    const busy = await pool.open(slot("bob"), start);
    busy.request(1, "tools/call", "{}");
    clock.move(9 * 60_000);
    await pool.look();
    expect(running(doubles)).toBe(2);
    clock.move(2 * 60_000);
    await pool.look();

    expect(running(doubles)).toBe(1);
    expect(pool.running(slot("bob"))).toBe(busy);
  });

  test("that is no longer wanted ends", async () => {
    const { pool, slot, start, doubles } = stage();
    await pool.open(slot("alice"), { ...start, current: async () => undefined });
    await pool.look();

    expect(running(doubles)).toBe(0);
  });

  test("whose folder was removed ends", async () => {
    const { pool, slot, start, doubles } = stage();
    await pool.open(slot("alice"), { ...start, spec: { ...start.spec, home: "/nowhere" } });
    await pool.look();

    expect(running(doubles)).toBe(0);
  });
});

describe("the most processes", () => {
  test("make room for another by ending the one that was idle for the longest time", async () => {
    const { pool, slot, start, doubles } = stage({ most: 4 });
    for (const user of ["a", "b"]) await pool.open(slot(user), start);
    await pool.open(slot("a"), start);
    await pool.open(slot("c"), start);

    expect(doubles.map(({ isOver }) => isOver)).toEqual([false, true, false]);
  });

  test("of a worker are half of them, so that others have some", async () => {
    const { pool, slot, start, doubles } = stage({ most: 4 });
    for (const user of ["a", "b", "c", "d", "e"]) await pool.open(slot(user), start);
    expect(running(doubles)).toBe(2);
    for (const user of ["a", "b", "c"]) await pool.open(slot(user, "other"), start);

    expect(running(doubles)).toBe(4);
  });

  test("that are all at work refuse another", async () => {
    const { pool, slot, start } = stage({ most: 2 });
    const busy = await pool.open(slot("a"), start);
    busy.request(1, "tools/call", "{}");

    await expect(pool.open(slot("b"), start)).rejects.toThrow("stdio.max_processes");
  });
});

test("a program that keeps ending waits 1, 2, 4 … 60 seconds, and starts afresh after a steady minute", () => {
  const clock = new MovableClock();
  const backoff = new Backoff(clock);
  const waits = Array.from({ length: 8 }, () => {
    backoff.failed("slot", clock.monotonic());
    const wait = Math.round(backoff.left("slot") / 1000);
    clock.move(wait * 1000);
    return wait;
  });

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  backoff.failed("slot", clock.monotonic() - 61_000);
  expect(Math.round(backoff.left("slot") / 1000)).toBe(1);
});

test("a program that keeps ending fails calls with the time of its next start", async () => {
  const { pool, slot, start, doubles, clock } = stage();
  for (let count = 0; count < 4; count++) {
    await pool.open(slot("alice"), start);
    doubles.at(-1)?.crash(1);
    await Bun.sleep(1);
    if (count < 3) clock.move(4000);
  }

  await expect(pool.open(slot("alice"), start)).rejects.toThrow(/started again in \d s/);
  await pool.open(slot("bob"), start);
});
