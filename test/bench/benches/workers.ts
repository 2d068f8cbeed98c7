// Tools of workers: what a call through an MCP worker adds, the gateways of others, and a project with many workers.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../src/base";
import { createRuntime } from "../../../src/runtime";
import type { WorkerKind, WorkerTool } from "../../../src/workers";
import { extensions } from "../../../catalogs";
import { loadConfig } from "../../support/config";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { LOAD_CORE } from "../children";
import { load, type Side, startBaseline } from "../compare";
import { createDeployment, type Deployment, inDeployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import { firstAnswer } from "../first-answer";
import { type HttpRequest, type Measured, rawRequest } from "../load/job";
import { ACCEPT, session } from "../mcp-gateways";
import { inTurn } from "../rounds";
import { serverCommand, startServer } from "../server-under-test";
import { gatewaysRow } from "./mcp";

const CONNECTIONS = 50;
const IDS = 2000;
const PATH = "/mcp/bench";
const MANY = { workers: 1000, tools: 20 };
const STARTS = 9;
const LIST = "/v1/tools?limit=25";

export const workers: Bench = {
  name: "workers",
  about:
    "a call through an MCP worker, against a bare proxy and npm gateways; a project with 20,000 tools of workers",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "workers"), CONNECTIONS);
    const upstream = await startBaseline(context, "mcp-upstream", [], LOAD_CORE);
    const address = `http://127.0.0.1:${upstream.port}/mcp`;
    await inDeployment(deployment, async (runtime) => {
      const operator = await runtime.identity.operator("default");
      const mcp = { uri: address, timeout: 10, retry: 0 };
      const { catalog } = await runtime.workers.create(operator, { id: "bench", mcp });
      if (catalog.tools !== 1) throw new Error(`the worker has no tool: ${catalog.error ?? ""}`);
      await runtime.gateways.create(operator, { name: "Bench", slug: "bench", auth_type: "arcade_header" });
    });
    const server = await startServer(context, deployment);
    const { key, users } = deployment;
    const names = users.map(({ userId }) => userId);
    const proxy = await startBaseline(context, "mcp-passing", [
      join(deployment.folder, "proxy.db"),
      address,
      key,
      ...names,
    ]);
    const sessions = await Promise.all(
      names.map(async (name) => {
        const credentials = { Authorization: `Bearer ${key}`, "X-User-ID": name };
        return { ...ACCEPT, ...credentials, ...(await session(server.port, PATH, credentials)) };
      }),
    );
    const direct = [await session(upstream.port)];
    const contains = "done";
    const sides = {
      direct: { ...upstream, requests: calls("/mcp", "Nothing", direct), contains },
      proxy: {
        ...proxy,
        requests: calls(
          "/mcp",
          "Nothing",
          names.map((name) => ({ Authorization: `Bearer ${key}`, "X-User-ID": name })),
        ),
        contains,
      },
      ours: { ...server, requests: calls(PATH, "Bench_Nothing", sessions), contains },
    };
    const row = addedRow(await load(context, sides, { connections: 1, polls: false }));
    await proxy.stop();
    const others = await gatewaysRow(context, sides.ours, {
      name: "workers-gateways",
      least: 5,
      url: address,
    });
    await Promise.all([server.stop(), upstream.stop()]);
    return [row, others, ...(await manyRows(context))];
  },
};

function calls(path: string, name: string, headers: readonly Record<string, string>[]): HttpRequest[] {
  return Array.from({ length: IDS }, (_, id) => ({
    method: "POST",
    path,
    headers: { ...ACCEPT, ...headers[id % headers.length] },
    body: { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { text: "hello" } } },
  }));
}

/** One caller: the latency added to that of the server. */
function addedRow({ direct, proxy, ours }: Record<"direct" | "proxy" | "ours", Measured[]>): Row {
  const added = (side: readonly Measured[]): number[] =>
    side.map(({ p50 }, round) => p50 - (direct[round]?.p50 ?? NaN));
  const figures = ratios(added(ours), added(proxy));
  const micros = (values: readonly number[]): string => `${Math.round(median(values) * 1000)} µs`;
  return {
    name: "workers",
    measured: `+${micros(added(ours))}`,
    baseline: `+${micros(added(proxy))}`,
    figure: median(figures),
    spread: spread(figures),
    bound: atMost(1.5),
    note: `direct ${micros(direct.map(({ p50 }) => p50))}`,
  };
}

/** A project with many workers, against one without: the first page of the list of tools, and the start. */
async function manyRows(context: Context): Promise<Row[]> {
  const none = await createDeployment(join(context.folder, "none"), 10);
  const many = await createDeployment(join(context.folder, "many"), 10);
  await addWorkers(many);
  const servers = [await startServer(context, none), await startServer(context, many)] as const;
  const side = ({ key }: Deployment, index: 0 | 1): Side => ({
    ...servers[index],
    requests: [{ path: LIST, key }],
    contains: '"page_count":25',
  });
  const listed = await load(context, { none: side(none, 0), many: side(many, 1) }, { connections: 1 });
  await Promise.all(servers.map((server) => server.stop()));
  const p50 = (rounds: readonly Measured[]): number[] => rounds.map((round) => round.p50);
  const figures = ratios(p50(listed.many), p50(listed.none));
  const micros = (values: readonly number[]): string => `${Math.round(median(values) * 1000)} µs`;
  return [
    {
      name: "workers-list",
      measured: micros(p50(listed.many)),
      baseline: micros(p50(listed.none)),
      figure: median(figures),
      spread: spread(figures),
      bound: atMost(2),
      note: `${MANY.workers * MANY.tools} tools of ${MANY.workers} workers`,
    },
    await startRow(context, none, many),
  ];
}

async function startRow(context: Context, none: Deployment, many: Deployment): Promise<Row> {
  const times = await inTurn(STARTS, {
    none: () => firstList(context, none),
    many: () => firstList(context, many),
  });
  const more = times.many.map((time, round) => time - (times.none[round] ?? NaN));
  const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
  return {
    name: "workers-start",
    measured: ms(times.many),
    baseline: ms(times.none),
    figure: median(more),
    spread: spread(more),
    bound: atMost(50, "ms"),
    note: "from the start of the server to the first list of tools",
  };
}

function firstList(context: Context, { environment, folder, key }: Deployment): Promise<number> {
  const command = serverCommand(context.options.server);
  const started = (port: number) => ({
    command,
    environment: { ...environment, RUNTIME_PORT: String(port) },
  });
  return firstAnswer(context, folder, started, rawRequest({ path: LIST, key }));
}

async function addWorkers({ environment, folder }: Deployment): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const kind: WorkerKind = {
    read: async ({ id }) => ({
      tools: Array.from({ length: MANY.tools }, (_, at) => toolOf(id, at)),
      skipped: [],
    }),
    probe: async () => ({}),
    bases: ({ uri }) => ({ worker: { url: uri } }),
    run: () => async () => null,
  };
  const parts = { log: silentLog, workerKinds: { http: kind, mcp: kind } };
  const runtime = await createRuntime(loadConfig({ environment }), extensions, parts);
  try {
    const operator = await runtime.identity.operator("default");
    for (let number = 0; number < MANY.workers; number++) {
      const mcp = { uri: "https://mcp.example/mcp", timeout: 10, retry: 0 };
      await runtime.workers.create(operator, { id: `worker-${number}`, mcp });
    }
  } finally {
    await runtime.close();
  }
}

/** About as large as those of real servers. */
function toolOf(worker: string, number: number): WorkerTool {
  const text = {
    type: "string",
    description: "A text that says what the parameter is for, and what it may contain.",
  };
  return {
    upstream: `tool-${number}`,
    name: `tool_${number}`,
    description: `Tool ${number} of ${worker}. ${"It does what its name says, and this sentence says so. ".repeat(4)}`,
    input: {
      type: "object",
      properties: { first: text, second: text, third: { type: "integer", description: "How many." } },
      required: ["first"],
    },
    metadata: {
      behavior: {
        operations: ["opaque"],
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
      },
    },
  };
}
