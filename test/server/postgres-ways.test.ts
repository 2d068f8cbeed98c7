// A server whose database is reached through PgBouncer in transaction mode, and one that shows a client certificate.
import { expect } from "bun:test";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { api } from "../support/api";
import { loadConfig } from "../support/config";
import { startBouncer, testOnBouncer } from "../support/postgres/bouncer";
import { startCluster } from "../support/postgres/cluster";
import { testOnPostgres } from "../support/postgres/programs";
import { startTlsCluster } from "../support/postgres/tls";
import { temporaryFolder } from "../support/temporary";

/** Writes on one server what the other one reads. */
async function expectTwoServers(settings: Record<string, string>): Promise<void> {
  const parts = new AsyncDisposableStack();
  const start = async () => {
    const environment = {
      HOME: temporaryFolder(),
      RUNTIME_PORT: "0",
      RUNTIME_ROOT_KEY: ROOT_KEY,
      ...settings,
    };
    const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
    parts.defer(() => runtime.close());
    const server = await startServer(runtime);
    parts.defer(() => server.stop());
    return { runtime, address: server.address };
  };
  try {
    const [one, other] = [await start(), await start()];
    const operator = await one.runtime.identity.operator("default");
    const { id, key = "" } = await one.runtime.identity.createKey(operator, { name: "k", role: "admin" });
    const client = api(other.address, key);
    expect((await client.post("/v1/admin/secrets/WORD", { value: "hidden" })).status).toBe(200);
    expect(await one.runtime.secrets.value("default", "WORD")).toBe("hidden");
    expect((await client.get("/v1/health")).status).toBe(200);
    await one.runtime.identity.deleteKey(operator, id);
    expect((await client.get("/v1/admin/secrets")).status).toBe(401);
  } finally {
    await parts.disposeAsync();
  }
}

const ROOT_KEY = Buffer.alloc(32, 7).toString("base64");
const LIMIT_MS = 60_000;

testOnBouncer(
  "two servers use a database through PgBouncer",
  async () => {
    await using cluster = await startCluster();
    await using bouncer = await startBouncer(cluster);
    await expectTwoServers({
      RUNTIME_DATABASE_URL: bouncer.url(),
      RUNTIME_DATABASE_LISTEN_URL: cluster.url(),
      RUNTIME_DATABASE_PREPARED_STATEMENTS: "false",
    });
  },
  LIMIT_MS,
);

testOnPostgres(
  "two servers use a database with verify-full and a client certificate",
  async () => {
    await using tls = await startTlsCluster();
    const { cluster, certificates, role } = tls;
    const { ca, client } = certificates;
    const files = { sslrootcert: ca, sslcert: client.cert, sslkey: client.key };
    const parameters = new URLSearchParams({ sslmode: "verify-full", ...files });
    await expectTwoServers({
      RUNTIME_DATABASE_URL: `${cluster.url("postgres", role)}?${parameters.toString()}`,
    });
  },
  LIMIT_MS,
);
