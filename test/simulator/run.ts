// Replays seeds: `bun test/simulator/run.ts --seed N [--seeds COUNT] [--steps M] [--only invariant] [--ignore a,b] [--reduce]
// [--first] [--engine postgres]`. `--faults [PART …]` brings faults back instead and looks for them (prove.ts).
import { parseArgs } from "node:util";
import { INVARIANTS } from "./invariants";
import { proveFaults } from "./prove";
import { failureOf, reduced, reportOf } from "./reduce";
import { ENGINES } from "./steps";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "100" },
    engine: { type: "string", default: "sqlite" },
    only: { type: "string", default: "" },
    ignore: { type: "string", default: "" },
    reduce: { type: "boolean", default: false },
    first: { type: "boolean", default: false },
    faults: { type: "boolean", default: false },
  },
});
const engine = ENGINES.find((name) => name === values.engine);
if (engine === undefined) throw new Error(`--engine must be one of ${ENGINES.join(", ")}.`);
if (values.faults) process.exit((await proveFaults(positionals, Number(values.steps), engine)) === 0 ? 0 : 1);
const { only } = values;
const others = only === "" ? [] : Object.keys(INVARIANTS).filter((name) => name !== only);
const ignored = new Set([...others, ...values.ignore.split(",")]);
const first = Number(values.seed);
let failures = 0;
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const failure = await failureOf(seed, Number(values.steps), ignored, engine);
  if (failure === undefined) continue;
  failures++;
  const shown = values.reduce ? await reduced(failure, ignored) : failure;
  process.stdout.write(`${reportOf(shown)}\n\n`);
  if (values.first) break;
}
process.stdout.write(`${values.seeds} seeds from ${first}, ${failures} with a violation\n`);
process.exitCode = failures === 0 ? 0 : 1;
