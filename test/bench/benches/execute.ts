// Running a tool that makes one request to a platform on this machine.
import { join } from "node:path";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { LOAD_CORE } from "../children";
import { CONNECTIONS, detailsOf, load, type Side, startBaseline } from "../compare";
import { createDeployment, type User } from "../deployment";
import { TOOL } from "../catalog";
import { median, ratios, spread } from "../figures";
import type { HttpRequest, Measured } from "../load/job";
import { startServer } from "../server-under-test";

const ALONE = atMost(1.3);
const UNDER_LOAD = atMost(1.5);

export const execute: Bench = {
  name: "execute",
  about: "latency that execute adds to a direct upstream call, against the floor program's",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "execute"), 10);
    const { key, users } = deployment;
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const address = `http://127.0.0.1:${upstream.port}`;
    const ours = await startServer(context, deployment, { upstream: address });
    const names = users.map(({ userId }) => userId);
    const database = join(deployment.folder, "floor.db");
    const floor = await startBaseline(context, "floor", [database, address, key, ...names]);
    const requests = executions(users, key);
    const rows = await rowsOf(context, {
      direct: { ...upstream, requests: [{ path: "/record", key }] },
      floor: { ...floor, requests, contains: '"success":true' },
      ours: { ...ours, requests, contains: '"success":true' },
    });
    await Promise.all([ours.stop(), floor.stop(), upstream.stop()]);
    return rows;
  },
};

/** A call of the tool for each user. */
export function executions(users: readonly User[], key: string): HttpRequest[] {
  return users.map(({ userId }) => ({
    method: "POST",
    path: "/v1/tools/execute",
    key,
    body: { tool_name: TOOL, user_id: userId, input: { text: "hello" } },
  }));
}

async function rowsOf(context: Context, sides: Record<"direct" | "floor" | "ours", Side>): Promise<Row[]> {
  const alone = await load(context, sides, { connections: 1, polls: false });
  const { floor, ours } = sides;
  const crowded = await load(context, { floor, ours }, { connections: CONNECTIONS, polls: false });
  return [latencyRow(alone), loadedRow(crowded)];
}

/** One caller: the latency added to the platform's. */
function latencyRow({ direct, floor, ours }: Record<"direct" | "floor" | "ours", Measured[]>): Row {
  const added = (side: readonly Measured[]): number[] =>
    side.map(({ p50 }, round) => p50 - (direct[round]?.p50 ?? NaN));
  const figures = ratios(added(ours), added(floor));
  const micros = (values: readonly number[]): string => `${Math.round(median(values) * 1000)} µs`;
  return {
    name: "execute",
    measured: `+${micros(added(ours))}`,
    baseline: `+${micros(added(floor))}`,
    figure: median(figures),
    spread: spread(figures),
    bound: ALONE,
    note: `from source; direct ${micros(direct.map(({ p50 }) => p50))}`,
    details: {
      ...detailsOf("direct", direct),
      ...detailsOf("floor", floor),
      ...detailsOf("ours", ours),
    },
  };
}

/** Many callers: at a fixed number of connections, latency is the inverse of the rate. */
function loadedRow({ floor, ours }: Record<"floor" | "ours", Measured[]>): Row {
  const rate = (side: readonly Measured[]): number[] => side.map((round) => round.rate);
  const figures = ratios(rate(floor), rate(ours));
  const details = { ...detailsOf("floor", floor), ...detailsOf("ours", ours) };
  const micros = (side: string): string => (details[`${side}_serverMicros`] ?? NaN).toFixed(0);
  return {
    name: "execute-load",
    measured: `${Math.round(median(rate(ours)))}/s`,
    baseline: `${Math.round(median(rate(floor)))}/s`,
    figure: median(figures),
    spread: spread(figures),
    bound: UNDER_LOAD,
    note: `${CONNECTIONS} connections; processor ${micros("ours")} µs against ${micros("floor")}`,
    details,
  };
}
