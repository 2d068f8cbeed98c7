// The load generator as benches use it.
import { join } from "node:path";
import { type Child, type Children, LOAD_CORE } from "../children";
import type { Job, Measured, Outcome } from "./job";

const START_MS = 20_000;
/** Longer than the maximum time of an answer at the end of a round. */
const MARGIN_MS = 30_000;

export interface Loader {
  /** Throws if an answer had the wrong status or content, because a bench of errors is worthless. */
  run(job: Job): Promise<Measured>;
  stop(): Promise<void>;
}

export async function startLoader(children: Children): Promise<Loader> {
  const script = join(import.meta.dir, "generator.ts");
  const child = children.spawn([process.execPath, script], { core: LOAD_CORE });
  await child.line(START_MS);
  return { run: (job) => run(child, job), stop: () => child.stop() };
}

async function run(child: Child, job: Job): Promise<Measured> {
  child.send(JSON.stringify(job));
  const outcome: Outcome = JSON.parse(await child.line(job.warmupMs + job.measureMs + MARGIN_MS));
  if ("failed" in outcome) throw new Error(`the load on port ${job.port} failed: ${outcome.failed}`);
  return outcome.measured;
}
