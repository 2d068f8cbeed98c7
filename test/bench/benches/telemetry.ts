// What metrics and traces add to a tool call, over REST and over MCP. Two servers of the same code differ by more, because the
// compilers decide differently in each; so one server is measured with both, with metrics, and with neither, in short turns
// under a load that goes on.
import { join } from "node:path";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { TOOL } from "../catalog";
import { type Child, LOAD_CORE, SERVER_CORE } from "../children";
import { CONNECTIONS, startBaseline } from "../compare";
import { createDeployment, type Deployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import { type HttpRequest, rawRequest } from "../load/job";
import { startLoader } from "../load/loader";
import { freePort, healthy } from "../server-under-test";
import { executions } from "./execute";
import { calls, createGateway } from "./mcp";

const MOST = atMost(1.05);
const USERS = 50;
const START_MS = 20_000;
/** Until the compilers have seen enough of every side; on a busy machine that takes longer. */
const WARMUP_REQUESTS = 90_000;
const MOST_WARMUP_MS = 60_000;
const TURN_MS = 100;
/** The load begins again after so long, until all turns are over. */
const LOAD_MS = 5000;
/** Requests of the turn before end, and what it has left to send is sent. */
const BETWEEN_MS = 80;

const SIDES = ["both", "metrics", "neither"] as const;
type Side = (typeof SIDES)[number];

interface Work {
  requests: readonly HttpRequest[];
  /** In every answer. */
  contains: string;
}

interface Measurable {
  port: number;
  pid: number;
  /** What the server has used so far. */
  switchTo(side: Side): Promise<Used>;
}

interface Used {
  micros: number;
  requests: number;
}

export const telemetry: Bench = {
  name: "telemetry",
  about: "processor time of a tool call with metrics and traces, against the same server without",
  run: async (context) => [
    await row(context, "telemetry-execute", async (_port, { users, key }) => ({
      requests: executions(users, key),
      contains: '"success":true',
    })),
    await row(context, "telemetry-mcp", async (port, deployment) => {
      const served = { port, pid: 0, stop: async () => undefined };
      await createGateway(served, deployment);
      return {
        requests: await calls(served, deployment, TOOL, { text: "hello" }),
        contains: '"structuredContent"',
      };
    }),
  ],
};

async function row(
  context: Context,
  name: string,
  workOf: (port: number, deployment: Deployment) => Promise<Work>,
): Promise<Row> {
  const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
  const collector = await startBaseline(context, "collector", [], LOAD_CORE);
  const deployment = await createDeployment(join(context.folder, name), USERS);
  const port = freePort();
  const child = context.children.spawn(
    [process.execPath, join(import.meta.dir, "../telemetry-server.ts"), `http://127.0.0.1:${upstream.port}`],
    {
      core: SERVER_CORE,
      environment: {
        ...deployment.environment,
        RUNTIME_PORT: String(port),
        RUNTIME_TELEMETRY_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      },
      errorFile: join(deployment.folder, "server.log"),
    },
  );
  await started(child, port);
  const switchTo = async (side: Side): Promise<Used> => {
    child.send(side);
    return JSON.parse(await child.line(START_MS));
  };
  const micros = await measured(context, { port, pid: child.pid, switchTo }, await workOf(port, deployment));
  await Promise.all([child.stop(), upstream.stop(), collector.stop()]);
  return rowOf(name, micros);
}

async function started(child: Child, port: number): Promise<void> {
  const until = performance.now() + START_MS;
  while (!(await healthy(port))) {
    if (child.exitCode() !== null || performance.now() > until) throw new Error("the server did not start");
    await Bun.sleep(20);
  }
}

/** Processor time of a request in each round, µs. A round has as many turns of each side as fit into its time. */
async function measured(
  { children, options }: Context,
  server: Measurable,
  { requests, contains }: Work,
): Promise<Record<Side, number[]>> {
  const turns = Math.max(1, Math.round((options.seconds * 1000) / TURN_MS));
  const loader = await startLoader(children);
  const job = {
    port: server.port,
    pid: server.pid,
    connections: CONNECTIONS,
    warmupMs: 0,
    measureMs: LOAD_MS,
  };
  const results: Record<Side, number[]> = { both: [], metrics: [], neither: [] };
  let isOver = false;
  const measure = async (): Promise<void> => {
    await warmUp(server);
    for (let at = 0; at < options.rounds; at++) {
      const used = await round(server, turns);
      for (const side of SIDES) results[side].push(used[side].micros / used[side].requests);
    }
    isOver = true;
  };
  const load = async (): Promise<void> => {
    const raw = requests.map(rawRequest);
    while (!isOver) await loader.run({ ...job, requests: raw, status: 200, contains });
  };
  await Promise.all([measure(), load()]);
  await loader.stop();
  return results;
}

async function warmUp(server: Measurable): Promise<void> {
  const until = performance.now() + MOST_WARMUP_MS;
  let answered = 0;
  while (answered < WARMUP_REQUESTS && performance.now() < until) {
    await round(server, 1);
    answered = (await server.switchTo("neither")).requests;
  }
}

/** The sums of so many turns of each side. */
async function round(server: Measurable, turns: number): Promise<Record<Side, Used>> {
  const sums = { both: none(), metrics: none(), neither: none() };
  for (let at = 0; at < turns; at++)
    for (const side of at % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const used = await turn(server, side);
      sums[side].micros += used.micros;
      sums[side].requests += used.requests;
    }
  return sums;
}

async function turn(server: Measurable, side: Side): Promise<Used> {
  await server.switchTo(side);
  await Bun.sleep(BETWEEN_MS);
  const before = await server.switchTo(side);
  await Bun.sleep(TURN_MS);
  const after = await server.switchTo(side);
  return { micros: after.micros - before.micros, requests: after.requests - before.requests };
}

function none(): Used {
  return { micros: 0, requests: 0 };
}

function rowOf(name: string, micros: Record<Side, number[]>): Row {
  const figures = ratios(micros.both, micros.neither);
  const alone = median(ratios(micros.metrics, micros.neither));
  const shown = (side: Side): string => `${median(micros[side]).toFixed(0)} µs`;
  return {
    name,
    measured: shown("both"),
    baseline: shown("neither"),
    figure: median(figures),
    spread: spread(figures),
    bound: MOST,
    note: `processor time, from source; metrics alone ${alone.toFixed(2)} ×`,
    details: Object.fromEntries(SIDES.map((side) => [`${side}_micros`, median(micros[side])])),
  };
}
