// Many seeds of the simulator: test/simulator. Another range of seeds each day.
import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { KNOWN } from "../simulator/known";
import { type Engine, ENGINES } from "../simulator/steps";
import { scaled } from "../support/long";

/** On PostgreSQL 200,000 steps. */
const SEEDS: Readonly<Record<Engine, number>> = { sqlite: scaled(10_000), postgres: scaled(2000) };
const STEPS = 100;
const FIRST = 1 + Math.floor(Date.now() / 86_400_000) * 10_000;
const ROOT = join(import.meta.dir, "..", "..");
const known = KNOWN.map(({ invariant }) => invariant).join(",");

/** Runs a part of the seeds in a process of its own. The output ends with the failures, reduced. */
async function runPart(
  engine: Engine,
  first: number,
  seeds: number,
): Promise<{ status: number; output: string }> {
  const numbers = ["--seed", first, "--seeds", seeds, "--steps", STEPS].map(String);
  const options = ["--engine", engine, "--ignore", known, "--reduce", "--first"];
  const command = ["test/simulator/run.ts", ...numbers, ...options];
  const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  return { status: await child.exited, output };
}

test.each(ENGINES)(
  `seeds from ${FIRST} of ${STEPS} steps each, on %s`,
  async (engine) => {
    const seeds = SEEDS[engine];
    const workers = Math.min(availableParallelism(), seeds);
    const size = Math.ceil(seeds / workers);
    const parts = Array.from({ length: workers }, (_, index) => runPart(engine, FIRST + index * size, size));

    const failed = (await Promise.all(parts)).filter(({ status }) => status !== 0);

    expect(failed).toEqual([]);
  },
  10_800_000,
);
