// Brings faults back, one patch at a time, and looks for them with the simulator. Prints a table for docs/reliability.md.
import { readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { applyPatch, scratchCopy } from "../mutants/run";
import { type Fault, FAULTS } from "./faults";
import { INVARIANTS } from "./invariants";
import { POSTGRES_FAULTS } from "./postgres/faults";
import { failureOf } from "./reduce";
import type { Engine } from "./steps";

/** The most seeds that are tried for a patch. */
const SEEDS = 2000;

const OF_ENGINE: Readonly<Record<Engine, readonly Fault[]>> = { sqlite: FAULTS, postgres: POSTGRES_FAULTS };

interface Found {
  seed: number;
  invariant: string;
}

/** Looks for the faults whose patch names contain one of `wanted`; all without any. Returns how many are not found. */
export async function proveFaults(
  wanted: readonly string[],
  steps: number,
  engine: Engine = "sqlite",
): Promise<number> {
  const faults = OF_ENGINE[engine];
  const isWanted = ({ patches }: Fault): boolean =>
    wanted.length === 0 || patches.some((name) => wanted.some((part) => name.includes(part)));
  const all = faults.filter((fault) => fault.because === undefined && isWanted(fault));
  const queue = [...all];
  const results = new Map<Fault, Found | undefined>();
  const worker = async (): Promise<void> => {
    for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
      let found: Found | undefined;
      for (const patch of fault.patches) {
        found ??= await look(patch, steps, engine);
        console.error(
          `${patch}: ${found === undefined ? "not found" : `${found.invariant}, seed ${found.seed}`}`,
        );
        if (found !== undefined) break;
      }
      results.set(fault, found);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 2) }, worker));
  console.log(tableOf(faults, results));
  return all.filter((fault) => results.get(fault) === undefined).length;
}

/** The first seed that shows the fault of a patch, and does not show it without the patch. */
async function look(name: string, steps: number, engine: Engine): Promise<Found | undefined> {
  const copy = scratchCopy();
  try {
    const patch = readFileSync(join(import.meta.dir, "..", "mutants", `${name}.patch`), "utf8");
    if (!(await applyPatch(copy, { patch }))) throw new Error(`${name} does not apply`);
    for (let first = 1; first <= SEEDS;) {
      const found = await firstFailure(copy, { first, steps, engine });
      if (found === undefined) return undefined;
      const others = new Set(Object.keys(INVARIANTS).filter((other) => other !== found.invariant));
      if ((await failureOf(found.seed, steps, others, engine)) === undefined) return found;
      first = found.seed + 1;
    }
    return undefined;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function firstFailure(
  copy: string,
  { first, steps, engine }: { first: number; steps: number; engine: Engine },
): Promise<Found | undefined> {
  const numbers = ["--seed", first, "--seeds", SEEDS - first + 1, "--steps", steps].map(String);
  const command = [process.execPath, "test/simulator/run.ts", ...numbers, "--first", "--engine", engine];
  const child = Bun.spawn(command, { cwd: copy, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const [, seed, invariant] = /^seed (\d+): (\w+):/m.exec(output) ?? [];
  if (seed !== undefined && invariant !== undefined) return { seed: Number(seed), invariant };
  if ((await child.exited) !== 0) throw new Error(errors);
  return undefined;
}

function tableOf(faults: readonly Fault[], results: ReadonlyMap<Fault, Found | undefined>): string {
  const rows = faults
    .filter((fault) => results.has(fault) || fault.because !== undefined)
    .map((fault) => {
      const found = results.get(fault);
      const shown = found === undefined ? "not found" : `\`${found.invariant}\`, seed ${found.seed}`;
      return `| ${fault.fault} | ${fault.because === undefined ? shown : `not found: ${fault.because}`} |`;
    });
  return ["| Fault | Found by |", "| --- | --- |", ...rows].join("\n");
}
