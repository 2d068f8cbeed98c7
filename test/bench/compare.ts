// Two servers under the same load: the ratio of their answers per second.
import { join } from "node:path";
import type { Context, Row } from "./bench";
import type { Bound } from "./bound";
import { SERVER_CORE } from "./children";
import { grouped, median, ratios, spread } from "./figures";
import { type HttpRequest, type Job, type Measured, rawRequest } from "./load/job";
import { type Loader, startLoader } from "./load/loader";
import { inTurn } from "./rounds";

export const CONNECTIONS = 32;
const WARMUP_MS = 200;
/**
 * The engine's compilers need some ten thousand calls and some time to optimize the code. A single caller would need
 * longer than all rounds for them, and the rounds would measure the compilers on the same core. So many callers warm up
 * every measured server first.
 */
const FIRST_WARMUP_MS = 2000;
/** Below this processor use the server was idle at times, and its rate is limited by something else. */
const SATURATED = 0.85;
const START_MS = 20_000;

export interface Side {
  port: number;
  pid: number;
  requests: readonly HttpRequest[];
  status?: number;
  contains?: string;
  /** Latencies end when this text arrives. */
  until?: string;
}

/** Starts `baselines/NAME.ts`, which prints its port when it listens. */
export async function startBaseline(
  { children }: Context,
  name: string,
  args: readonly string[] = [],
  core = SERVER_CORE,
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const script = join(import.meta.dir, "baselines", `${name}.ts`);
  const child = children.spawn([process.execPath, script, ...args], { core });
  return { port: Number(await child.line(START_MS)), pid: child.pid, stop: () => child.stop() };
}

export interface Load {
  connections?: number;
  /** See `Job.polls`. Not where something that answers the sides runs on the core of the generator, or waits for the disk. */
  polls?: boolean;
}

/** Loads the sides alternately. Every side is warmed up before the first round. */
export async function load<Name extends string>(
  context: Context,
  sides: Readonly<Record<Name, Side>>,
  { connections = CONNECTIONS, polls = true }: Load = {},
): Promise<Record<Name, Measured[]>> {
  const { options, children } = context;
  const loader = await startLoader(children);
  const names = Object.keys(sides) as Name[];
  const work = (times: Pick<Job, "connections" | "polls" | "measureMs" | "warmupMs">) =>
    Object.fromEntries(names.map((name) => [name, () => round(loader, sides[name], times)])) as Record<
      Name,
      () => Promise<Measured>
    >;
  try {
    const many = Math.max(connections, CONNECTIONS);
    await inTurn(1, work({ connections: many, polls, measureMs: 100, warmupMs: FIRST_WARMUP_MS }));
    const measureMs = options.seconds * 1000;
    return await inTurn(options.rounds, work({ connections, polls, measureMs, warmupMs: WARMUP_MS }));
  } finally {
    await loader.stop();
  }
}

function round(
  loader: Loader,
  { port, pid, requests, status = 200, contains, until }: Side,
  times: Pick<Job, "connections" | "polls" | "measureMs" | "warmupMs">,
): Promise<Measured> {
  return loader.run({ ...times, port, pid, requests: requests.map(rawRequest), status, contains, until });
}

/** The row that compares the rates of two sides. */
export async function compareRates(
  context: Context,
  name: string,
  bound: Bound,
  sides: { ours: Side; baseline: Side },
  { work = "computes", polls = work === "computes" }: { work?: Work; polls?: boolean } = {},
): Promise<Row> {
  const { ours, baseline } = await load(context, sides, { polls });
  return rateRow(name, bound, ours, baseline, work);
}

/** What a server does most of the time. A durable write waits for the disk, and its core is idle meanwhile. */
type Work = "computes" | "waits for the disk";

export function rateRow(
  name: string,
  bound: Bound,
  ours: readonly Measured[],
  baseline: readonly Measured[],
  work: Work = "computes",
): Row & { note: string } {
  const rates = { ours: ours.map(rateOf), baseline: baseline.map(rateOf) };
  const figures = ratios(rates.ours, rates.baseline);
  const details = { ...detailsOf("ours", ours), ...detailsOf("baseline", baseline) };
  return {
    name,
    measured: `${grouped(median(rates.ours))}/s`,
    baseline: `${grouped(median(rates.baseline))}/s`,
    figure: median(figures),
    spread: spread(figures),
    bound,
    ...doubt(details, work),
    details,
  };
}

function rateOf({ rate }: Measured): number {
  return rate;
}

/** Medians of all measurements of a side. */
export function detailsOf(side: string, rounds: readonly Measured[]): Record<string, number> {
  const [first] = rounds;
  const names = first === undefined ? [] : (Object.keys(first) as (keyof Measured)[]);
  return Object.fromEntries(
    names.map((name) => [`${side}_${name}`, median(rounds.map((round) => round[name]))]),
  );
}

// Processor time per answer confirms the rates, and a busy machine disturbs it less.
function doubt(details: Readonly<Record<string, number>>, work: Work): { doubtful: boolean; note: string } {
  const micros = (side: string): string => (details[`${side}_serverMicros`] ?? NaN).toFixed(1);
  const note = `processor ${micros("ours")} µs against ${micros("baseline")}`;
  const busy = details["baseline_serverBusy"] ?? 1;
  if (busy >= SATURATED) return { doubtful: false, note };
  // Then only a busy generator would hold the baseline back.
  if (work === "waits for the disk" && (details["baseline_generatorBusy"] ?? 1) < SATURATED)
    return { doubtful: false, note: `${note}; both wait for the disk` };
  return {
    doubtful: true,
    note: `${note}; the baseline had only ${Math.round(busy * 100)} % of its core: the figure flatters`,
  };
}
