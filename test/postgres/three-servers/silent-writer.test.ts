// A server that hangs in the middle of a write holds the lock of all writers. PostgreSQL ends its transaction after 3 s of
// silence; the write is then done again.
import { expect } from "bun:test";
import { mainMigrations, query, run, setFact, type Store } from "../../../src/store";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres } from "../../../src/store/postgres/postgres";
import { startCluster } from "../../support/postgres/cluster";
import { testOnPostgres } from "../../support/postgres/programs";

/** Longer than the silence that the server bears. */
const HANGS_MS = 3500;

testOnPostgres(
  "a write whose process hangs in its transaction is done again, and once",
  async () => {
    await using cluster = await startCluster();
    const connector = connectorOf({
      url: cluster.url(),
      preparedStatements: true,
      applicationName: "runtime test",
    });
    const open = (instance: string): Store =>
      openPostgres({ connector, schema: "runtime", migrations: mainMigrations, instance });
    const store = open("one");
    const COUNT = query(
      "UPDATE facts SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'count'",
    );
    await store.write(() => setFact("count", "0"));
    let runs = 0;
    const written = await store.write(function* () {
      const changed = yield* run(COUNT);
      if (++runs === 1) Bun.sleepSync(HANGS_MS);
      return changed;
    });
    const VALUE = query<{ value: string }>("SELECT value FROM facts WHERE name = 'count'");
    const stored = await store.get(VALUE);
    await store.close();

    expect([written, runs, stored?.value]).toEqual([1, 2, "1"]);
  },
  30_000,
);
