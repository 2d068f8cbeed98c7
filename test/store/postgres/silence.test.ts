// What a server does when the network loses packets without a word.
import { expect, setDefaultTimeout } from "bun:test";
import { all, query, type Store } from "../../../src/store";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres } from "../../../src/store/postgres/postgres";
import { startCluster } from "../../support/postgres/cluster";
import { disturbed } from "../../support/postgres/disturbed";
import { testOnPostgres } from "../../support/postgres/programs";
import { startProxy } from "../../support/postgres/proxy";
import { mark, MARKS, migrations } from "./faults-tables";

setDefaultTimeout(30_000);

testOnPostgres(
  "while a write gets no answer, idle connections for reads are asked whether they work",
  async () => {
    await using cluster = await startCluster();
    await using proxy = startProxy({ port: cluster.port });
    const happened: string[] = [];
    const url = proxy.url(cluster.url());
    const direct = connectorOf({ url, preparedStatements: true, applicationName: "runtime" });
    const asked = disturbed(direct, (text, ask) => {
      if (text === "SELECT 1") happened.push("asked");
      return ask();
    });
    const connector = {
      ...asked,
      connect: (signal?: AbortSignal) => {
        happened.push("connects");
        return asked.connect(signal);
      },
    };
    const instance = crypto.randomUUID();
    const store = openPostgres({ connector, schema: "runtime", migrations, instance });
    await store.write(() => mark("first"));
    await store.all(MARKS);
    happened.length = 0;
    proxy.forget();

    await store.write(() => mark("second"));

    // The connection of the write is given up later, for another one.
    expect(happened[0]).toBe("asked");
    expect(happened).toContain("connects");
    await store.close();
  },
);

testOnPostgres(
  "a read that gets no answer is not asked on another connection that may be lost, too",
  async () => {
    await using cluster = await startCluster();
    await using proxy = startProxy({ port: cluster.port });
    const url = proxy.url(cluster.url());
    const direct = connectorOf({ url, preparedStatements: true, applicationName: "runtime" });
    let asked = 0;
    const connector = disturbed(direct, (text, ask) => {
      if (text.includes("marks")) asked++;
      return ask();
    });
    const instance = crypto.randomUUID();
    const store = openPostgres({ connector, schema: "runtime", migrations, instance });
    await store.write(() => mark("first"));
    await openAll(store);
    proxy.forget();
    asked = 0;

    expect(await store.all(MARKS)).toHaveLength(1);
    expect(asked).toBe(2);
    await store.close();
  },
);

/** Reads until all connections for reads are open, and none has anything to do. */
async function openAll(store: Store): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const reads: Promise<unknown>[] = [];
    for (let index = 0; index < 8; index++) {
      reads.push(store.all(MARKS));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(reads);
  }
}

testOnPostgres(
  "two servers that were lost one after the other with the lock stop writes for less than 4 s",
  async () => {
    await using cluster = await startCluster();
    const connector = connectorOf({
      url: cluster.url(),
      preparedStatements: true,
      applicationName: "runtime",
    });
    const instance = crypto.randomUUID();
    const store = openPostgres({ connector, schema: "runtime", migrations, instance });
    const limits = query<{ name: string; setting: string; unit: string }>(
      "SELECT name, setting, unit FROM pg_catalog.pg_settings " +
        "WHERE name IN ('lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name",
    );

    const found = await store.write(() => all(limits));

    expect(found.map(({ name, unit }) => `${name} ${unit}`)).toEqual([
      "idle_in_transaction_session_timeout ms",
      "lock_timeout ms",
    ]);
    const [silence = 0, lock = 0] = found.map(({ setting }) => Number(setting));
    expect(Math.min(silence, lock)).toBeGreaterThan(0);
    // The second one gets the lock at the end of its wait, and is silent from then on.
    expect(lock + silence).toBeLessThan(4000);
    await store.close();
  },
);
