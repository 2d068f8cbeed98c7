// Tool calls over MCP: compared with a hand-written server, our own REST and other gateways, and their memory.
import { join } from "node:path";
import { scaled } from "../../support/long";
import type { Bench, Context, Row } from "../bench";
import { atLeast, atMost } from "../bound";
import { NOTHING, TOOL } from "../catalog";
import { LOAD_CORE } from "../children";
import { load, rateRow, type Side, startBaseline } from "../compare";
import { createDeployment, type Deployment } from "../deployment";
import { grouped, median, ratios, spread } from "../figures";
import { type HttpRequest, type Measured, rawRequest } from "../load/job";
import { startLoader } from "../load/loader";
import { hasPeer } from "../peers";
import { inTurn } from "../rounds";
import {
  ACCEPT,
  type McpGateway,
  session,
  startMcpHub,
  startMcpProxy,
  startSupergateway,
} from "../mcp-gateways";
import { type Served, startServer } from "../server-under-test";
import { residentMemory } from "../system";
import { executions } from "./execute";

const CONNECTIONS = 50;
/** More than the connections, so that no two pending calls have the same id. */
const IDS = 2000;
const PATH = "/mcp/bench";
const SETTLE_MS = 2000;
const HISTORY = { short: 10_000, long: scaled(1_000_000) };

export const mcp: Bench = {
  name: "mcp",
  about: "tools/call over MCP, 50 connections: against hand-written JSON-RPC, REST, npm gateways; memory",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "mcp"), 50);
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const server = await startServer(context, deployment, { upstream: `http://127.0.0.1:${upstream.port}` });
    await createGateway(server, deployment);
    const floor = await startBaseline(context, "mcp");
    const nothing = await calls(server, deployment, NOTHING, {});
    const ours: Side = { ...server, requests: nothing, contains: "done" };
    const first = await load(
      context,
      { ours, baseline: { ...floor, requests: nothing, contains: "done" } },
      { connections: CONNECTIONS },
    );
    const looped = await calls(server, deployment, TOOL, { text: "hello" });
    const rest = executions(deployment.users, deployment.key);
    const second = await load(
      context,
      {
        ours: { ...server, requests: looped, contains: '"structuredContent"' },
        baseline: { ...server, requests: rest, contains: '"success":true' },
      },
      { connections: CONNECTIONS, polls: false },
    );
    await floor.stop();
    const rows = [
      rateRow("mcp-nothing", atLeast(0.25), first.ours, first.baseline),
      rateRow("mcp-loopback", atLeast(0.8), second.ours, second.baseline),
      await gatewaysRow(context, ours, { name: "mcp-gateways", least: 8 }),
    ];
    await Promise.all([server.stop(), upstream.stop()]);
    return [...rows, await memoryRow(context, deployment)];
  },
};

export async function createGateway({ port }: Served, { key }: Deployment): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/orgs/default/projects/default/gateways`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench", slug: "bench", auth_type: "arcade_header" }),
  });
  if (answer.status !== 201) throw new Error(`no gateway: ${answer.status} ${await answer.text()}`);
}

/** Calls like those of a client of the 2025 revisions: in its session, one for each user. */
export async function calls(
  { port }: Served,
  { key, users }: Deployment,
  tool: string,
  args: object,
): Promise<HttpRequest[]> {
  const clients = await Promise.all(
    users.slice(0, CONNECTIONS).map(async ({ userId }) => {
      const credentials = { Authorization: `Bearer ${key}`, "X-User-ID": userId };
      return { ...ACCEPT, ...credentials, ...(await session(port, PATH, credentials)) };
    }),
  );
  return Array.from({ length: IDS }, (_, id) => ({
    method: "POST",
    path: PATH,
    headers: clients[id % clients.length] ?? {},
    body: {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: tool.replace(".", "_"), arguments: args },
    },
  }));
}

interface Compared {
  name: string;
  ours: number[];
  theirs: number[];
}

/**
 * Compared with the best of the others. Each is measured in alternation with ours, alone on the core. `url`: only those are
 * compared that can call this server over HTTP, as ours does.
 */
export async function gatewaysRow(
  context: Context,
  ours: Side,
  { name, least, url }: { name: string; least: number; url?: string },
): Promise<Row> {
  const row = { name, bound: atLeast(least) };
  if (!hasPeer("mcp-proxy")) {
    return { ...row, measured: "", baseline: "", note: "the gateways of others could not be installed" };
  }
  const compared: Compared[] = [];
  const startHub: Start = (each) => startMcpHub(each, url);
  const starts = url === undefined ? [startMcpProxy, startSupergateway, startHub] : [startHub];
  for (const start of starts) {
    compared.push(await compareWith(context, start, ours));
  }
  const sorted = compared.toSorted((one, other) => median(other.theirs) - median(one.theirs));
  const figuresOf = (one: Compared | undefined): number[] => ratios(one?.ours ?? [], one?.theirs ?? []);
  const [best] = compared.toSorted((one, other) => median(figuresOf(one)) - median(figuresOf(other)));
  const figures = figuresOf(best);
  const rates = sorted.map(({ name, theirs }) => `${name} ${grouped(median(theirs))}/s`);
  return {
    ...row,
    measured: `${grouped(median(best?.ours ?? []))}/s`,
    baseline: `${grouped(median(best?.theirs ?? []))}/s`,
    figure: median(figures),
    spread: spread(figures),
    note: `against ${best?.name ?? "none"}, of ${rates.join(", ")}`,
    details: Object.fromEntries(sorted.map(({ name, theirs }) => [`${name}_rate`, median(theirs)])),
  };
}

type Start = (context: Context) => Promise<McpGateway>;

async function compareWith(context: Context, start: Start, ours: Side): Promise<Compared> {
  const gateway = await start(context);
  const { name, transport, headers } = gateway;
  if (transport === "sse") {
    await gateway.stop();
    return { name, ...(await compareOverStreams(context, start, ours)) };
  }
  const requests = Array.from({ length: IDS }, (_, id) => ({
    method: "POST",
    path: "/mcp",
    headers: { ...ACCEPT, ...headers },
    body: { jsonrpc: "2.0", id, method: "tools/call", params: { name: "Nothing", arguments: {} } },
  }));
  const sides = { ours, theirs: { ...gateway, requests, contains: "done" } };
  const measured = await load(context, sides, { connections: CONNECTIONS });
  await gateway.stop();
  const rate = (round: Measured): number => round.rate;
  return { name, ours: measured.ours.map(rate), theirs: measured.theirs.map(rate) };
}

async function compareOverStreams(
  context: Context,
  start: Start,
  ours: Side,
): Promise<Omit<Compared, "name">> {
  const { children, options } = context;
  const script = join(import.meta.dir, "..", "load", "sse.ts");
  const measureMs = options.seconds * 1000;
  const once = { ...context, options: { ...options, rounds: 1 } };
  return inTurn(options.rounds, {
    ours: async () => (await load(once, { ours }, { connections: CONNECTIONS })).ours[0]?.rate ?? NaN,
    theirs: async () => {
      // Started again each time: once its clients have disconnected, this gateway no longer answers.
      const gateway = await start(context);
      const args = [gateway.port, "nothing__Nothing", CONNECTIONS, 1500, measureMs].map(String);
      const child = children.spawn([process.execPath, script, ...args], { core: LOAD_CORE });
      const rate = Number(await child.line(measureMs + 30_000));
      await child.exited;
      await gateway.stop();
      return rate;
    },
  });
}

/** Memory after a long history of calls, compared with a short one. */
async function memoryRow(context: Context, deployment: Deployment): Promise<Row> {
  const server = await startServer(context, deployment, { upstream: "http://127.0.0.1:1" });
  const requests = (await calls(server, deployment, NOTHING, {})).map(rawRequest);
  const loader = await startLoader(context.children);
  const { port, pid } = server;
  const job = { port, pid, connections: CONNECTIONS, warmupMs: 0, requests, status: 200, contains: "done" };
  let done = 0;
  const memoryAfter = async (count: number): Promise<number | undefined> => {
    const measureMs = count > HISTORY.short ? 2000 : 50;
    while (done < count) done += (await loader.run({ ...job, measureMs })).answers;
    await Bun.sleep(SETTLE_MS);
    return residentMemory(pid);
  };
  const short = await memoryAfter(HISTORY.short);
  const long = await memoryAfter(HISTORY.long);
  await Promise.all([loader.stop(), server.stop()]);
  const base = { name: "mcp-memory", bound: atMost(10, "MB") };
  if (short === undefined || long === undefined) {
    return { ...base, measured: "", baseline: "", note: "this system does not tell" };
  }
  return {
    ...base,
    measured: `${long.toFixed(1)} MB`,
    baseline: `${short.toFixed(1)} MB`,
    figure: long - short,
    note: `after ${grouped(HISTORY.long)} calls against ${grouped(HISTORY.short)}`,
  };
}
