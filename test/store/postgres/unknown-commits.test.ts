// Commits whose result a server cannot know, and transactions that must not be committed.
import { expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres, type PostgresStore } from "../../../src/store/postgres/postgres";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { type Answered, disturbed } from "../../support/postgres/disturbed";
import { PROGRAMS, testOnPostgres } from "../../support/postgres/programs";
import { type Proxy, startProxy } from "../../support/postgres/proxy";
import { get, query } from "../../../src/store";
import { mark, MARKS, migrations } from "./faults-tables";

setDefaultTimeout(30_000);

const WAITING =
  "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'runtime' AND wait_event_type = 'Lock'";
/** What another server does that takes over from one that is stopped inside of a transaction. */
const END_AND_WRITE = `
  SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE application_name = 'runtime' AND state = 'idle in transaction';
  BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('runtime writer of runtime', 0));
  UPDATE runtime.counters SET value = 5 WHERE id = 'all';
  COMMIT;`;

interface Stage extends AsyncDisposable {
  cluster: Cluster;
  proxy: Proxy;
  store: PostgresStore;
  /** The seen values of all marks, read past the proxy. */
  marks(): Promise<string>;
  /** Fulfilled when so many sessions of the store wait for a lock. */
  waiting(sessions: number): Promise<void>;
}

interface StageOptions {
  limitMs?: number;
  answered?: Answered;
}

async function stage({ limitMs = 10_000, answered }: StageOptions = {}): Promise<Stage> {
  const cluster = await startCluster();
  const proxy = startProxy({ port: cluster.port });
  const url = proxy.url(cluster.url());
  const direct = connectorOf({ url, preparedStatements: true, applicationName: "runtime" });
  const connector = answered === undefined ? direct : disturbed(direct, answered);
  const instance = crypto.randomUUID();
  const store = openPostgres({ connector, schema: "runtime", migrations, instance, limitMs });
  await store.ready();
  return {
    cluster,
    proxy,
    store,
    marks: () => cluster.psql("SELECT seen FROM runtime.marks ORDER BY seen"),
    waiting: async (sessions) => {
      while ((await cluster.psql(WAITING)) !== `${sessions}`) await Bun.sleep(10);
    },
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

testOnPostgres("a commit whose answer the client does not understand is not repeated", async () => {
  let misunderstood = false;
  await using here = await stage({
    answered: async (text, ask) => {
      const value = await ask();
      if (text !== "COMMIT" || !misunderstood) return value;
      misunderstood = false;
      throw Object.assign(new TypeError("an answer of an unknown kind"), { code: "ERR_OF_THE_CLIENT" });
    },
  });
  await here.store.write(() => mark("first"));
  misunderstood = true;

  expect(await here.store.write(() => mark("second"))).toBe(1);
  expect(await here.marks()).toBe("0\n1");
});

testOnPostgres("a commit after a statement that was not sent is refused as unknown", async () => {
  let isBroken = false;
  await using here = await stage({
    answered: async (text, ask) => {
      if (isBroken && /INSERT INTO \S*marks/.test(text)) throw new TypeError("a value of an unknown type");
      return ask();
    },
  });
  await here.store.write(() => mark("first"));
  isBroken = true;

  await expect(here.store.write(() => mark("second"))).rejects.toThrow("Whether it is stored is not known.");
  isBroken = false;
  // A part of it is: the counter was raised.
  expect(await here.store.write(() => mark("third"))).toBe(2);
  expect(await here.marks()).toBe("0\n2");
});

testOnPostgres(
  "a commit that is still in progress is waited for before its result is looked up",
  async () => {
    await using here = await stage();
    await here.store.write(() => mark("first"));
    // The commit waits until a lock is free that this session takes.
    await here.cluster.psql(
      "CREATE FUNCTION runtime.wait() RETURNS trigger LANGUAGE plpgsql AS " +
        "$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$; " +
        "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON runtime.marks DEFERRABLE INITIALLY DEFERRED " +
        "FOR EACH ROW EXECUTE FUNCTION runtime.wait()",
    );
    const url = here.cluster.url();
    const blocker = await connectorOf({
      url,
      preparedStatements: true,
      applicationName: "blocker",
    }).connect();
    await blocker.sql.unsafe("SELECT pg_advisory_lock(1)");
    const written = here.store.write(() => mark("second"));
    await here.waiting(1);
    here.proxy.reset();
    await here.waiting(2);
    await blocker.close();

    expect(await written).toBe(1);
    expect(await here.marks()).toBe("0\n1");
  },
);

testOnPostgres(
  "a write that waits for the lock for too long is refused, and not stored with the next",
  async () => {
    await using here = await stage({ limitMs: 1000 });
    await here.store.write(() => mark("first"));
    const blocker = await connectorOf({
      url: here.cluster.url(),
      preparedStatements: true,
      applicationName: "blocker",
    }).connect();
    await blocker.sql.unsafe("SELECT pg_advisory_lock(hashtextextended('runtime writer of runtime', 0))");
    const late = here.store.write(() => mark("late"));

    await expect(late).rejects.toThrow("The database did not answer in time.");
    const next = here.store.write(() => mark("next"));
    await blocker.close();
    expect(await next).toBe(1);
    expect((await here.store.all(MARKS)).map(({ operation }) => operation)).toEqual(["first", "next"]);
  },
);

testOnPostgres("a commit that the server has rolled back is repeated if that may help", async () => {
  await using here = await stage();
  await here.store.write(() => mark("first"));
  await here.cluster.psql(
    "CREATE SEQUENCE runtime.tries; CREATE FUNCTION runtime.fail() RETURNS trigger LANGUAGE plpgsql AS " +
      "$$ BEGIN IF nextval('runtime.tries') = 1 THEN RAISE EXCEPTION 'once' USING ERRCODE = '40001'; END IF; " +
      "RETURN NULL; END $$; " +
      "CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON runtime.marks DEFERRABLE INITIALLY DEFERRED " +
      "FOR EACH ROW EXECUTE FUNCTION runtime.fail()",
  );

  expect(await here.store.write(() => mark("second"))).toBe(1);
  expect(await here.marks()).toBe("0\n1");
});

testOnPostgres("a commit is refused as unknown if the row that would tell was deleted", async () => {
  await using here = await stage();
  await here.store.write(() => mark("first"));
  const held = here.proxy.holdAfter("COMMIT");
  const written = here.store.write(() => mark("second"));
  written.catch(() => undefined);
  await held;
  while ((await here.marks()) !== "0\n1") await Bun.sleep(10);
  await here.cluster.psql("DELETE FROM runtime.writers");
  here.proxy.reset();
  here.proxy.heal();

  await expect(written).rejects.toThrow("Whether it is stored is not known.");
  await here.store.write(() => mark("third"));
  expect(await here.marks()).toBe("0\n1\n2");
});

testOnPostgres(
  "a server that is stopped for longer than its session lives runs its transaction again",
  async () => {
    await using here = await stage();
    await here.store.write(() => mark("first"));
    let ran = 0;
    const stopped = (): void => {
      // No event of this process is handled until another one has ended its session and has written.
      if (ran++ > 0) return;
      const psql = [join(PROGRAMS, "psql"), "-X", "-v", "ON_ERROR_STOP=1", "-d", here.cluster.url()];
      expect(Bun.spawnSync(psql, { stdin: new TextEncoder().encode(END_AND_WRITE) }).exitCode).toBe(0);
    };

    expect(await here.store.write(() => mark("second", stopped))).toBe(5);
    expect(ran).toBe(2);
    expect(await here.marks()).toBe("0\n5");
  },
);

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
  await using here = await stage({ limitMs: 1500 });
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
  const here = await stage({ limitMs: 1000 });
  await here.cluster.kill();
  const refused = here.store.write(() => mark("late"));
  refused.catch(() => undefined);

  await here.store.close();

  await expect(refused).rejects.toMatchObject({ name: "unavailable", retryAfterMs: 1000 });
  await expect(here.store.all(MARKS)).rejects.toMatchObject({ name: "unavailable" });
  await here[Symbol.asyncDispose]();
});
