// PgBouncer in transaction mode, before version 1.21: it knows no prepared statements.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectorOf, openPostgres, query, run } from "../../../src/store";
import { type Bouncer, startBouncer } from "../../support/postgres/bouncer";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { hasPostgres } from "../../support/postgres/programs";

const migrations = [
  {
    version: 1,
    name: "first",
    statements: [
      "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      "INSERT INTO generations (kind, value) VALUES ('secrets', 0)",
      "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    ],
  },
];
const PUT = query(
  "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);

describe.if(hasPostgres && Bun.which("pgbouncer") !== null)("through a pooler", () => {
  let cluster: Cluster;
  let bouncer: Bouncer;
  beforeAll(async () => {
    cluster = await startCluster();
    // One connection to the database: every client meets the statements of the others.
    bouncer = await startBouncer(cluster, { settings: { default_pool_size: 1 } });
  }, 60_000);
  afterAll(async () => {
    await bouncer[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  async function written(schema: string, preparedStatements: boolean): Promise<unknown> {
    const connector = connectorOf({ url: bouncer.url(), preparedStatements, applicationName: "test" });
    const direct = connectorOf({ url: cluster.url(), preparedStatements: true, applicationName: "test" });
    const open = (instance: string) =>
      openPostgres({ connector, migrator: direct, listener: direct, schema, migrations, instance });
    const stores = [open("one"), open("other")];
    const failures: unknown[] = [];
    for (const store of stores)
      await store.write(() => run(PUT, "a", "b")).catch((error: unknown) => failures.push(error));
    for (const store of stores) await store.close();
    return failures[0];
  }

  test("works without prepared statements", async () => {
    expect(await written("without", false)).toBeUndefined();
  });

  test("names the setting if a prepared statement is lost", async () => {
    expect(await written("prepared", true)).toMatchObject({
      name: "unavailable",
      message: expect.stringContaining("Set database.prepared_statements to false"),
    });
  });
});
