// Brings faults back, one patch at a time, and looks for them with the simulator. Prints a table for docs/reliability.md.
import { readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { applyPatch, scratchCopy } from "../mutants/run";
import { FAULTS } from "./faults";
import { INVARIANTS } from "./invariants";
import { KNOWN } from "./known";
import { failureOf } from "./reduce";

/** The most seeds that are tried for a patch. */
const SEEDS = 2000;

interface Found {
  seed: number;
  invariant: string;
}

/** Looks for the faults whose patch names contain one of `wanted`; all without any. Returns how many faults are not found. */
export async function proveFaults(wanted: readonly string[], steps: number): Promise<number> {
  const isWanted = (name: string): boolean =>
    wanted.length === 0 || wanted.some((part) => name.includes(part));
  const queue = FAULTS.filter(({ because }) => because === undefined)
    .flatMap(({ patches }) => patches)
    .filter(isWanted);
  const results = new Map<string, Found | undefined>();
  const worker = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const found = await look(name, steps);
      results.set(name, found);
      console.error(
        `${name}: ${found === undefined ? "not found" : `${found.invariant}, seed ${found.seed}`}`,
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 2) }, worker));
  console.log(tableOf(results));
  return FAULTS.filter(({ patches }) => patches.some(isWanted) && !patches.some((name) => results.get(name)))
    .length;
}

/** The first seed that shows the fault of a patch, and does not show it without the patch. */
async function look(name: string, steps: number): Promise<Found | undefined> {
  const copy = scratchCopy();
  try {
    const patch = readFileSync(join(import.meta.dir, "..", "mutants", `${name}.patch`), "utf8");
    if (!(await applyPatch(copy, { patch }))) throw new Error(`${name} does not apply`);
    for (let first = 1; first <= SEEDS;) {
      const found = await firstFailure(copy, first, steps);
      if (found === undefined) return undefined;
      const others = new Set(Object.keys(INVARIANTS).filter((other) => other !== found.invariant));
      if ((await failureOf(found.seed, steps, others)) === undefined) return found;
      first = found.seed + 1;
    }
    return undefined;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function firstFailure(copy: string, first: number, steps: number): Promise<Found | undefined> {
  const options = ["--seed", first, "--seeds", SEEDS - first + 1, "--steps", steps, "--first"].map(String);
  const ignored = ["--ignore", KNOWN.map(({ invariant }) => invariant).join(",")];
  const command = [process.execPath, "test/simulator/run.ts", ...options, ...ignored];
  const child = Bun.spawn(command, { cwd: copy, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const [, seed, invariant] = /^seed (\d+): (\w+):/m.exec(output) ?? [];
  if (seed !== undefined && invariant !== undefined) return { seed: Number(seed), invariant };
  if ((await child.exited) !== 0) throw new Error(errors);
  return undefined;
}

function tableOf(results: ReadonlyMap<string, Found | undefined>): string {
  const rows = FAULTS.map(({ fault, patches, because }) => {
    if (because !== undefined) return `| ${fault} | not found: ${because} |`;
    const cells = patches
      .filter((name) => results.has(name))
      .map((name) => {
        const found = results.get(name);
        return found === undefined ? "not found" : `\`${found.invariant}\`, seed ${found.seed}`;
      });
    return `| ${fault} | ${cells.join("; ")} |`;
  });
  return ["| Fault | Found by |", "| --- | --- |", ...rows].join("\n");
}
