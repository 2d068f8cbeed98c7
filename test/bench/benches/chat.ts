// Passed-through chat completions: compared with the npm gateway on the same work, and the first streamed byte compared
// with the minimal program.
import { join } from "node:path";
import type { Bench, Context, Row } from "../bench";
import { atLeast, atMost } from "../bound";
import { startPortkey } from "../chat-gateway";
import { LOAD_CORE } from "../children";
import { detailsOf, load, rateRow, type Side, startBaseline } from "../compare";
import { createDeployment, type Deployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import type { HttpRequest, Measured } from "../load/job";
import { startServer } from "../server-under-test";

const CONNECTIONS = 50;
const RATE = atLeast(12);
const SLOWEST = atMost(1 / 20);
const FIRST_BYTE = atMost(1.5);

const body = {
  model: "bench-model",
  messages: [
    { role: "system", content: "You answer benches." },
    { role: "user", content: "What is the answer of the bench?" },
  ],
};
const REQUEST: HttpRequest = { method: "POST", path: "/v1/chat/completions", body };
const STREAMED: HttpRequest = { ...REQUEST, body: { ...body, stream: true } };

export const chat: Bench = {
  name: "chat",
  about:
    "chat completions: answers per second compared with an npm gateway, and the latency of the first streamed byte",
  run: async (context) => {
    const created = await createDeployment(join(context.folder, "chat"), 1);
    const upstream = await startBaseline(context, "model", [], LOAD_CORE);
    const address = `http://127.0.0.1:${upstream.port}`;
    const ours = await startServer(context, withModel(created, address));
    const rows = [
      ...(await besideGateway(context, created, ours, address)),
      await firstByte(context, created, ours, upstream),
    ];
    await Promise.all([ours.stop(), upstream.stop()]);
    return rows;
  },
};

function withModel(deployment: Deployment, address: string): Deployment {
  const models = [
    {
      id: "bench",
      models: ["bench-model"],
      openai: { base_url: `${address}/v1`, api_key: "key-of-the-model" },
    },
  ];
  return {
    ...deployment,
    environment: { ...deployment.environment, RUNTIME_MODELS: JSON.stringify(models) },
  };
}

interface Listening {
  port: number;
  pid: number;
}

async function besideGateway(
  context: Context,
  { key }: Deployment,
  server: Listening,
  model: string,
): Promise<Row[]> {
  const gateway = await startPortkey(context, model, REQUEST);
  const contains = "The answer of the bench.";
  const ours: Side = { ...server, requests: [{ ...REQUEST, key }], contains };
  const measured = await load(
    context,
    { ours, gateway: { ...gateway, contains } },
    { connections: CONNECTIONS, polls: false },
  );
  await gateway.stop();
  const rate = rateRow("chat", RATE, measured.ours, measured.gateway);
  return [
    {
      ...rate,
      note: `${CONNECTIONS} connections, compared with @portkey-ai/gateway; ${rate.note ?? ""}`,
      doubtful: false,
    },
    slowestRow(measured.ours, measured.gateway),
  ];
}

function slowestRow(ours: readonly Measured[], gateway: readonly Measured[]): Row {
  const p99 = (side: readonly Measured[]): number[] => side.map((round) => round.p99);
  const figures = ratios(p99(ours), p99(gateway));
  const millis = (values: readonly number[]): string => `${median(values).toFixed(2)} ms`;
  return {
    name: "chat-p99",
    measured: millis(p99(ours)),
    baseline: millis(p99(gateway)),
    figure: median(figures),
    spread: spread(figures),
    bound: SLOWEST,
    note: "of the same requests",
  };
}

/** One caller: the latency added to the model's first event. */
async function firstByte(
  context: Context,
  { folder, key }: Deployment,
  server: Listening,
  upstream: Listening,
): Promise<Row> {
  const address = `http://127.0.0.1:${upstream.port}`;
  const floor = await startBaseline(context, "chat-floor", [join(folder, "floor.db"), address, key]);
  const side = ({ port, pid }: Listening): Side => ({
    port,
    pid,
    requests: [{ ...STREAMED, key }],
    contains: "[DONE]",
    until: "data: ",
  });
  const measured = await load(
    context,
    { direct: side(upstream), floor: side(floor), ours: side(server) },
    { connections: 1, polls: false },
  );
  await floor.stop();
  const added = (rounds: readonly Measured[]): number[] =>
    rounds.map(({ p50 }, round) => p50 - (measured.direct[round]?.p50 ?? NaN));
  const figures = ratios(added(measured.ours), added(measured.floor));
  const micros = (values: readonly number[]): string => `${Math.round(median(values) * 1000)} µs`;
  return {
    name: "chat-first-byte",
    measured: `+${micros(added(measured.ours))}`,
    baseline: `+${micros(added(measured.floor))}`,
    figure: median(figures),
    spread: spread(figures),
    bound: FIRST_BYTE,
    note: `one caller; direct ${micros(measured.direct.map(({ p50 }) => p50))}`,
    details: {
      ...detailsOf("direct", measured.direct),
      ...detailsOf("floor", measured.floor),
      ...detailsOf("ours", measured.ours),
    },
  };
}
