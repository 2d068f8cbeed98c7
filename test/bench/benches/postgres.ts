// The same requests on PostgreSQL and on SQLite, and on PostgreSQL against a bare program on the same client.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasPostgres } from "../../support/postgres/programs";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import type { Bench, Context, Row } from "../bench";
import { atLeast } from "../bound";
import { LOAD_CORE } from "../children";
import { compareRates, type Side, startBaseline } from "../compare";
import { createDeployment, type Deployment, PROVIDER } from "../deployment";
import type { HttpRequest } from "../load/job";
import { answerOf, type Served, startServer } from "../server-under-test";
import { executions } from "./execute";
import { LIST_PATH } from "./list";
import { serversRow } from "./postgres-servers";
import { calls, createGateway } from "./mcp";
import { secretUpserts } from "./write";
import { TOOL } from "../catalog";

const SCHEMA = "bench";

/** The server on both engines, with the same records. */
interface Engines {
  sqlite: Served;
  postgres: Served;
  /** The bare program that executes on PostgreSQL. */
  floor: Served;
  /** The address of the platform. */
  upstream: string;
  deployments: Record<"sqlite" | "postgres", Deployment>;
}

export const postgres: Bench = {
  name: "postgres",
  about:
    "get, list, write, execute and MCP on PostgreSQL, against SQLite and a bare program on the same client",
  run: async (context) => {
    if (!hasPostgres) return [missing()];
    // Its commits wait for the disk, as those of SQLite do.
    await using cluster = await startCluster({ fsync: true });
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const engines = await startEngines(context, cluster, `http://127.0.0.1:${upstream.port}`);
    const rows: Row[] = [];
    for (const work of [get, list, write, execute, mcp])
      rows.push(...(await work(context, engines, cluster)));
    const { sqlite, postgres, floor } = engines;
    await Promise.all([sqlite, postgres, floor, upstream].map((one) => one.stop()));
    return rows;
  },
};

function missing(): Row {
  return {
    name: "postgres",
    bound: atLeast(0.3),
    measured: "",
    baseline: "",
    note: "PostgreSQL is not installed",
  };
}

async function startEngines(context: Context, cluster: Cluster, upstream: string): Promise<Engines> {
  const settings = { RUNTIME_DATABASE_URL: cluster.url(), RUNTIME_DATABASE_SCHEMA: SCHEMA };
  const folder = (name: string): string => join(context.folder, name);
  const deployments = {
    sqlite: await createDeployment(folder("sqlite"), 1000),
    postgres: await createDeployment(folder("postgres"), 1000, settings),
  };
  await cluster.psql("VACUUM ANALYZE");
  const sqlite = await startServer(context, deployments.sqlite, { upstream });
  const postgres = await startServer(context, deployments.postgres, { upstream });
  const { key, users } = deployments.postgres;
  const names = users.map(({ userId }) => userId);
  const floor = await startBaseline(context, "postgres-floor", [cluster.url(), upstream, key, ...names]);
  return { sqlite, postgres, floor, deployments, upstream };
}

/** Compares what both engines answer to the requests of each. */
async function engineRow(
  context: Context,
  { sqlite, postgres, deployments }: Engines,
  { name, least, contains, requests, waits = false }: Compared,
): Promise<Row> {
  const side = async (served: Served, deployment: Deployment): Promise<Side> => ({
    ...served,
    requests: await requests(deployment, served),
    contains,
  });
  const sides = {
    ours: await side(postgres, deployments.postgres),
    baseline: await side(sqlite, deployments.sqlite),
  };
  // The server waits for the database on another core.
  return compareRates(context, name, atLeast(least), sides, loadOf(waits));
}

interface Compared {
  name: string;
  least: number;
  contains: string;
  requests: (deployment: Deployment, served: Served) => HttpRequest[] | Promise<HttpRequest[]>;
  waits?: boolean;
}

async function get(context: Context, engines: Engines, cluster: Cluster): Promise<Row[]> {
  const path = `/v1/admin/auth_providers/${PROVIDER}`;
  const contains = '"redirect_uri"';
  const requests = ({ key }: Deployment): HttpRequest[] => [{ path, key }];
  const row = await engineRow(context, engines, { name: "postgres-get", least: 0.3, contains, requests });
  const { key } = engines.deployments.postgres;
  const record = await answerOf(engines.postgres, path, key);
  const bare = await startBaseline(context, "postgres-get", [cluster.url(), SCHEMA, key, PROVIDER, record]);
  const side = { requests: [{ path, key }], contains };
  const sides = { ours: { ...engines.postgres, ...side }, baseline: { ...bare, ...side } };
  const bareRow = await compareRates(context, "postgres-get-bare", atLeast(0.8), sides, loadOf(false));
  await bare.stop();
  return [row, bareRow];
}

async function list(context: Context, engines: Engines, cluster: Cluster): Promise<Row[]> {
  const contains = '"page_count":25';
  const requests = ({ key }: Deployment): HttpRequest[] => [{ path: LIST_PATH, key }];
  const row = await engineRow(context, engines, { name: "postgres-list", least: 0.3, contains, requests });
  const { key } = engines.deployments.postgres;
  mkdirSync(context.folder, { recursive: true });
  const file = join(context.folder, "answer.json");
  writeFileSync(file, await answerOf(engines.postgres, LIST_PATH, key));
  const bare = await startBaseline(context, "postgres-list", [cluster.url(), SCHEMA, file]);
  const side = { requests: [{ path: LIST_PATH, key }], contains };
  const sides = { ours: { ...engines.postgres, ...side }, baseline: { ...bare, ...side } };
  const bareRow = await compareRates(context, "postgres-list-bare", atLeast(0.8), sides, loadOf(false));
  await bare.stop();
  return [row, bareRow];
}

async function write(context: Context, engines: Engines, cluster: Cluster): Promise<Row[]> {
  const requests = ({ key }: Deployment): HttpRequest[] => secretUpserts(key);
  const compared = { name: "postgres-write", least: 0.3, contains: '"updated_at"', requests, waits: true };
  const row = await engineRow(context, engines, compared);
  const { key } = engines.deployments.postgres;
  const bare = await startBaseline(context, "postgres-write", [cluster.url(), key]);
  const bareOne = await bareRow(context, engines, bare, compared);
  await bare.stop();
  return [row, bareOne];
}

async function execute(context: Context, engines: Engines): Promise<Row[]> {
  const requests = ({ users, key }: Deployment): HttpRequest[] => executions(users, key);
  const compared = { name: "postgres-execute", least: 0.5, contains: '"success":true', requests };
  const row = await engineRow(context, engines, compared);
  const servers = await serversRow(context, engines.postgres, engines.deployments.postgres, {
    upstream: engines.upstream,
    requests: requests(engines.deployments.postgres),
  });
  return [row, await bareRow(context, engines, engines.floor, compared), servers];
}

async function mcp(context: Context, engines: Engines): Promise<Row[]> {
  for (const engine of ["sqlite", "postgres"] as const)
    await createGateway(engines[engine], engines.deployments[engine]);
  const requests = (deployment: Deployment, served: Served): Promise<HttpRequest[]> =>
    calls(served, deployment, TOOL, { text: "hello" });
  const compared = { name: "postgres-mcp", least: 0.5, contains: '"structuredContent"', requests };
  const row = await engineRow(context, engines, compared);
  return [row, await bareRow(context, engines, engines.floor, compared)];
}

/** The server on PostgreSQL against a bare program that answers the same requests. */
async function bareRow(
  context: Context,
  { postgres, deployments }: Engines,
  bare: Served,
  { name, contains, requests, waits = false }: Compared,
): Promise<Row> {
  const side = { requests: await requests(deployments.postgres, postgres), contains };
  const sides = { ours: { ...postgres, ...side }, baseline: { ...bare, ...side } };
  return compareRates(context, `${name}-bare`, atLeast(0.8), sides, loadOf(waits));
}

/** PostgreSQL runs on the core of the load generator. */
function loadOf(waits: boolean) {
  return { work: waits ? "waits for the disk" : "computes", polls: false } as const;
}
