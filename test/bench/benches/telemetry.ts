// What metrics and traces add to a tool call, over REST and over MCP: the same server with both, with metrics, with neither.
import { join } from "node:path";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { TOOL } from "../catalog";
import { LOAD_CORE } from "../children";
import { detailsOf, load, type Side, startBaseline } from "../compare";
import { createDeployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import type { HttpRequest, Measured } from "../load/job";
import { type Served, startServer } from "../server-under-test";
import { executions } from "./execute";
import { calls, createGateway } from "./mcp";

const MOST = atMost(1.05);
const USERS = 50;

type Name = "both" | "metrics" | "neither";

interface Started {
  served: Served;
  rest: HttpRequest[];
  mcp: HttpRequest[];
}

export const telemetry: Bench = {
  name: "telemetry",
  about: "processor time of a tool call with metrics and traces, against the same server without",
  run: async (context) => {
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const collector = await startBaseline(context, "collector", [], LOAD_CORE);
    const start = (name: Name, environment: Record<string, string>): Promise<Started> =>
      started(context, name, `http://127.0.0.1:${upstream.port}`, environment);
    const servers: Record<Name, Started> = {
      both: await start("both", { RUNTIME_TELEMETRY_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }),
      metrics: await start("metrics", {}),
      neither: await start("neither", { RUNTIME_METRICS_ENABLED: "false" }),
    };
    const sides = (of: "rest" | "mcp", contains: string): Record<Name, Side> => {
      const side = ({ served, ...requests }: Started): Side => ({
        ...served,
        requests: requests[of],
        contains,
      });
      return {
        both: side(servers.both),
        metrics: side(servers.metrics),
        neither: side(servers.neither),
      };
    };
    const rows = [
      rowOf("telemetry-execute", await load(context, sides("rest", '"success":true'))),
      rowOf("telemetry-mcp", await load(context, sides("mcp", '"structuredContent"'))),
    ];
    await Promise.all(Object.values(servers).map(({ served }) => served.stop()));
    await Promise.all([upstream.stop(), collector.stop()]);
    return rows;
  },
};

/** A server with a deployment of its own. */
async function started(
  context: Context,
  name: Name,
  upstream: string,
  more: Record<string, string>,
): Promise<Started> {
  const made = await createDeployment(join(context.folder, `telemetry-${name}`), USERS);
  const deployment = { ...made, environment: { ...made.environment, ...more } };
  const served = await startServer(context, deployment, { upstream });
  await createGateway(served, deployment);
  return {
    served,
    rest: executions(deployment.users, deployment.key),
    mcp: await calls(served, deployment, TOOL, { text: "hello" }),
  };
}

// Processor time, because another program on the machine disturbs it less than the rate.
function rowOf(name: string, { both, metrics, neither }: Record<Name, Measured[]>): Row {
  const time = (rounds: readonly Measured[]): number[] => rounds.map(({ serverMicros }) => serverMicros);
  const figures = ratios(time(both), time(neither));
  const micros = (rounds: readonly Measured[]): string => `${median(time(rounds)).toFixed(0)} µs`;
  const alone = median(ratios(time(metrics), time(neither)));
  return {
    name,
    measured: micros(both),
    baseline: micros(neither),
    figure: median(figures),
    spread: spread(figures),
    bound: MOST,
    note: `processor time, from source; metrics alone ${alone.toFixed(2)} ×`,
    details: {
      ...detailsOf("both", both),
      ...detailsOf("metrics", metrics),
      ...detailsOf("neither", neither),
    },
  };
}
