// The table `writers`: one row for each process that has written lately.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectorOf, openPostgres, query, run } from "../../../src/store";
import type { Cluster } from "../../support/postgres/cluster";
import { startCluster } from "../../support/postgres/cluster";
import { hasPostgres } from "../../support/postgres/programs";

const migrations = [
  {
    version: 1,
    name: "first",
    statements: [
      "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
      "INSERT INTO generations (kind, value) VALUES ('secrets', 0)",
    ],
  },
];
const INSERT = query("INSERT INTO facts (name, value) VALUES (?, ?)");

describe.if(hasPostgres)("rows of writers", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("are deleted after 30 days, by the next process that writes", async () => {
    const connector = connectorOf({
      url: cluster.url(),
      preparedStatements: true,
      applicationName: "test",
    });
    const store = openPostgres({ connector, schema: "records", migrations, instance: "new" });
    await store.ready();
    await cluster.psql(
      "INSERT INTO records.writers VALUES ('old', 1, now() - interval '31 days'), ('recent', 1, now() - interval '29 days')",
    );

    await store.write(() => run(INSERT, "a", "b"));

    await store.close();
    expect(await cluster.psql("SELECT instance FROM records.writers ORDER BY instance")).toBe("new\nrecent");
  });
});
