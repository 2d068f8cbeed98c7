// Two servers on one database against one. On a machine without cores for both, by processor time: what a second server
// costs each request is what it takes from twice the rate.
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Context, Row } from "../bench";
import { atLeast } from "../bound";
import { CONNECTIONS } from "../compare";
import type { Deployment } from "../deployment";
import { median, spread } from "../figures";
import { type HttpRequest, type Measured, rawRequest } from "../load/job";
import { startLoader } from "../load/loader";
import { inTurn } from "../rounds";
import { type Served, startServer } from "../server-under-test";

const WARMUP_MS = 200;
const FIRST_WARMUP_MS = 2000;

/** `first` runs on the deployment, and is the one that is also measured alone. */
export async function serversRow(
  context: Context,
  first: Served,
  deployment: Deployment,
  { upstream, requests }: { upstream: string; requests: readonly HttpRequest[] },
): Promise<Row> {
  const second = await startServer(context, neighbour(deployment), { upstream });
  const loaders = await Promise.all([startLoader(context.children), startLoader(context.children)]);
  const raw = requests.map(rawRequest);
  const load = (servers: readonly Served[], measureMs: number, warmupMs: number): Promise<Measured[]> =>
    Promise.all(
      servers.map(({ port, pid }, at) => {
        const connections = CONNECTIONS / servers.length;
        const job = { port, pid, connections, warmupMs, measureMs, requests: raw, status: 200 };
        return (loaders[at] ?? loaders[0]).run({ ...job, contains: '"success":true' });
      }),
    );
  await load([first, second], 100, FIRST_WARMUP_MS);
  const measureMs = context.options.seconds * 1000;
  const { one, two } = await inTurn(context.options.rounds, {
    one: () => load([first], measureMs, WARMUP_MS),
    two: () => load([first, second], measureMs, WARMUP_MS),
  });
  await Promise.all([second.stop(), ...loaders.map((loader) => loader.stop())]);
  const micros = { one: one.map(microsOf), two: two.map(microsOf) };
  const figures = micros.one.map((alone, round) => (2 * alone) / (micros.two[round] ?? NaN));
  return {
    name: "postgres-servers",
    measured: `${median(micros.two).toFixed(0)} µs`,
    baseline: `${median(micros.one).toFixed(0)} µs`,
    figure: median(figures),
    spread: spread(figures),
    bound: atLeast(1.7),
    note: "processor time of an execution with two servers and with one; the figure is twice their ratio",
  };
}

/** Of an answer, over all servers. */
function microsOf(servers: readonly Measured[]): number {
  const answers = servers.reduce((sum, server) => sum + server.answers, 0);
  return servers.reduce((sum, { serverMicros, answers: own }) => sum + serverMicros * own, 0) / answers;
}

/** Another server of the same installation: the same keys, and a data folder of its own. */
function neighbour(deployment: Deployment): Deployment {
  const folder = `${deployment.folder}-second`;
  cpSync(deployment.folder, folder, { recursive: true });
  const environment = { ...deployment.environment, HOME: folder, RUNTIME_DATA_DIR: join(folder, "data") };
  return { ...deployment, folder, environment };
}
