// Commits whose result a server cannot know, and transactions that must not be committed.
import { expect, setDefaultTimeout } from "bun:test";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres, type PostgresStore } from "../../../src/store/postgres/postgres";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { testOnPostgres } from "../../support/postgres/programs";
import { type Proxy, startProxy } from "../../support/postgres/proxy";
import { get, query } from "../../../src/store";
import { mark, MARKS, migrations } from "./faults-tables";

setDefaultTimeout(30_000);

interface Stage extends AsyncDisposable {
  cluster: Cluster;
  proxy: Proxy;
  store: PostgresStore;
  /** The seen values of all marks, read past the proxy. */
  marks(): Promise<string>;
}

async function stage(limitMs = 10_000): Promise<Stage> {
  const cluster = await startCluster();
  const proxy = startProxy({ port: cluster.port });
  const url = proxy.url(cluster.url());
  const connector = connectorOf({ url, preparedStatements: true, applicationName: "runtime" });
  const instance = crypto.randomUUID();
  const store = openPostgres({ connector, schema: "runtime", migrations, instance, limitMs });
  await store.ready();
  return {
    cluster,
    proxy,
    store,
    marks: () => cluster.psql("SELECT seen FROM runtime.marks ORDER BY seen"),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await proxy[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

testOnPostgres("a commit whose answer is lost is acknowledged and not repeated", async () => {
  await using here = await stage();
  await here.store.write(() => mark("first"));
  const held = here.proxy.holdAfter("COMMIT");
  const written = here.store.write(() => mark("second"));
  await held;
  while ((await here.marks()) !== "0\n1") await Bun.sleep(10);
  here.proxy.reset();
  here.proxy.heal();

  expect(await written).toBe(1);
  expect(await here.marks()).toBe("0\n1");
});

testOnPostgres("a commit that does not arrive is repeated", async () => {
  await using here = await stage();
  await here.store.write(() => mark("first"));
  const held = here.proxy.holdBefore("COMMIT");
  const written = here.store.write(() => mark("second"));
  await held;
  here.proxy.reset();
  here.proxy.heal();

  expect(await written).toBe(1);
  expect((await here.store.all(MARKS)).map(({ operation }) => operation)).toEqual(["first", "second"]);
});

testOnPostgres("a server does not write into tables of another version", async () => {
  await using here = await stage();
  await here.store.write(() => mark("first"));
  await here.cluster.psql("UPDATE runtime.generations SET value = 99 WHERE kind = 'schema'");

  const refused = here.store.write(() => mark("second"));

  await expect(refused).rejects.toMatchObject({ name: "unavailable", retryAfterMs: 1000 });
  await expect(refused).rejects.toThrow("The database has schema 99; this server supports schema 1.");
  expect(await here.marks()).toBe("0");
});

testOnPostgres("a write that cannot be confirmed is refused as unknown", async () => {
  await using here = await stage(1500);
  await here.store.write(() => mark("first"));
  const held = here.proxy.holdAfter("COMMIT");
  const written = here.store.write(() => mark("second"));
  written.catch(() => undefined);
  await held;
  await here.cluster.kill();

  await expect(written).rejects.toMatchObject({ name: "unavailable", retryAfterMs: 1000 });
  await expect(written).rejects.toThrow("Whether it is stored is not known.");
});

testOnPostgres("defaults of the role neither change the isolation nor give up durability", async () => {
  await using here = await stage();
  await here.cluster.psql(
    "ALTER ROLE postgres SET default_transaction_isolation = 'serializable'; " +
      "ALTER ROLE postgres SET synchronous_commit = 'off'; ALTER ROLE postgres SET statement_timeout = '9s'; " +
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'runtime'",
  );
  const settings =
    "SELECT current_setting('transaction_isolation') || ' ' || current_setting('synchronous_commit') AS all";

  const found = await here.store.write(function* () {
    return yield* get(query<{ all: string }>(settings));
  });

  expect(found).toEqual({ all: "read committed on" });
});

testOnPostgres("closing without a database ends, and refuses what was waiting", async () => {
  const here = await stage(1000);
  await here.cluster.kill();
  const refused = here.store.write(() => mark("late"));
  refused.catch(() => undefined);

  await here.store.close();

  await expect(refused).rejects.toMatchObject({ name: "unavailable", retryAfterMs: 1000 });
  await expect(here.store.all(MARKS)).rejects.toMatchObject({ name: "unavailable" });
  await here[Symbol.asyncDispose]();
});
