// Costs must not grow with history: the same work at 10 connections and at very many.
import { join } from "node:path";
import type { Bench, Context } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { LOAD_CORE } from "../children";
import { createDeployment, type Deployment } from "../deployment";
import { grouped } from "../figures";
import type { HttpRequest } from "../load/job";
import { type Served, startServer } from "../server-under-test";
import { executions } from "./execute";

const SHORT = 10;
/** "The same time", except for the cost of a deeper tree and colder pages. */
const BOUND = atLeast(0.85);

interface Site {
  deployment: Deployment;
  served: Served;
}

const WORK: readonly { name: string; contains: string; requests(deployment: Deployment): HttpRequest[] }[] = [
  {
    name: "history-read",
    contains: '"status":"completed"',
    requests: ({ key, users }) =>
      users.map(({ connectionId }) => ({ path: `/v1/auth/status?id=${connectionId}`, key })),
  },
  {
    name: "history-execute",
    contains: '"success":true',
    requests: ({ key, users }) => executions(users, key),
  },
  {
    name: "history-list",
    contains: '"page_count":10',
    requests: ({ key }) => [{ path: "/v1/admin/user_connections?limit=10", key }],
  },
];

export const history: Bench = {
  name: "history",
  about: "point read, execute and a page of a list at 10 connections and at --connections",
  run: async (context) => {
    const { connections } = context.options;
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const address = `http://127.0.0.1:${upstream.port}`;
    const short = await site(context, "short", SHORT, address);
    const long = await site(context, "long", connections, address);
    const rows = [];
    for (const { name, contains, requests } of WORK) {
      const side = ({ served, deployment }: Site) => ({
        ...served,
        contains,
        requests: shuffled(requests(deployment)),
      });
      const sides = { ours: side(long), baseline: side(short) };
      const row = await compareRates(context, name, BOUND, sides, { polls: false });
      rows.push({ ...row, note: `${grouped(connections)} against ${SHORT} connections; ${row.note ?? ""}` });
    }
    await Promise.all([short.served.stop(), long.served.stop(), upstream.stop()]);
    return rows;
  },
};

async function site(context: Context, name: string, connections: number, upstream: string): Promise<Site> {
  const deployment = await createDeployment(join(context.folder, name), connections);
  return { deployment, served: await startServer(context, deployment, { upstream }) };
}

/** In a fixed shuffled order, so that neighbours in the table are not requested one after another. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item, index) => ({ item, at: Bun.hash.crc32(String(index)) }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
