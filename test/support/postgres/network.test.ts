// What is between a server and its database in the tests does what it says: lost packets, pooled sessions, TLS.
import type { TransactionSQL } from "bun";
import { SQL } from "bun";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Certificate } from "../certificates";
import type { Bouncer } from "./bouncer";
import { startBouncer, testOnBouncer } from "./bouncer";
import type { Cluster } from "./cluster";
import { startCluster } from "./cluster";
import { hasPostgres } from "./programs";
import type { Proxy } from "./proxy";
import { startProxy } from "./proxy";
import type { TlsCluster } from "./tls";
import { startTlsCluster } from "./tls";

const one = (sql: SQL): Promise<unknown> => sql`SELECT 1 AS one`.execute();
const ONE = [{ one: 1 }];

describe.if(hasPostgres)("a proxy", () => {
  let cluster: Cluster;
  let proxy: Proxy;
  let sql: SQL;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.psql("CREATE TABLE notes (id int)");
    proxy = startProxy(cluster);
    sql = new SQL(proxy.url(cluster.url()), { max: 1 });
  });
  afterAll(async () => {
    await sql.close();
    await proxy[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const insert = (id: number): Promise<unknown> =>
    sql.begin((transaction: TransactionSQL) => transaction`INSERT INTO notes VALUES (${id})`);
  const count = (id: number): Promise<string> => cluster.psql(`SELECT count(*) FROM notes WHERE id = ${id}`);

  test("passes large requests and answers", async () => {
    const large = "0123456789".repeat(500_000);

    const [row] = await sql`SELECT ${large}::text AS text`;

    expect(row.text === large).toBe(true);
    expect(proxy.connections).toBe(1);
  });

  test("a cut passes nothing and closes nothing, and what was sent arrives when it is healed", async () => {
    await one(sql);
    proxy.cut();
    const asked = one(sql);
    const late = new SQL(proxy.url(cluster.url()), { max: 1, connectionTimeout: 1 });
    await expect(one(late)).rejects.toThrow("timeout");
    await late.close();
    expect(Bun.peek.status(asked)).toBe("pending");

    proxy.heal();

    expect(await asked).toEqual(ONE);
  });

  test("a cut hides the end of the database", async () => {
    await one(sql);
    proxy.cut();
    await cluster.restart();
    const asked = one(sql);
    await cluster.psql("SELECT 1");
    expect(Bun.peek.status(asked)).toBe("pending");

    proxy.heal();

    await expect(asked).rejects.toThrow();
  });

  test("a reset ends connections and accepts new ones", async () => {
    const outcome = sql`SELECT pg_sleep(600)`.then(() => "done", String);
    while ((await cluster.psql("SELECT wait_event FROM pg_stat_activity")).includes("PgSleep") === false);

    proxy.reset();

    expect(await outcome).toContain("closed");
    expect(await one(sql)).toEqual(ONE);
  });

  test("a delay keeps the order", async () => {
    const order: string[] = [];
    await one(sql);
    proxy.delay(50);
    const slow = one(sql).then(() => order.push("delayed"));
    await cluster.psql("SELECT 1");
    order.push("direct");
    await slow;
    proxy.heal();

    expect(order).toEqual(["direct", "delayed"]);
  });

  test("holds the answer of a commit that the database has made", async () => {
    const held = proxy.holdAfter("COMMIT");
    const outcome = insert(1).then(() => "done", String);
    await held;
    while ((await count(1)) !== "1");

    proxy.reset();
    expect(await outcome).toContain("closed");
    proxy.heal();
  });

  test("holds a commit that the database never gets", async () => {
    const held = proxy.holdBefore("COMMIT");
    const outcome = insert(2).then(() => "done", String);
    await held;

    proxy.reset();
    expect(await outcome).toContain("closed");
    proxy.heal();
    expect(await count(2)).toBe("0");
  });

  test("passes a held answer when it is healed", async () => {
    const held = proxy.holdAfter("COMMIT");
    const outcome = insert(3);
    await held;
    proxy.heal();

    await outcome;
    expect(await count(3)).toBe("1");
  });

  test("may lead to another server", async () => {
    await using other = await startCluster({ settings: { cluster_name: "other" } });
    proxy.target = other;
    proxy.reset();
    await using fresh = new SQL(proxy.url(cluster.url()), { max: 1 });

    expect(await fresh`SHOW cluster_name`).toEqual([{ cluster_name: "other" }]);
    proxy.target = cluster;
  });
});

describe.if(hasPostgres)("PgBouncer", () => {
  let cluster: Cluster;
  let bouncer: Bouncer | undefined;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await bouncer?.[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  testOnBouncer("shares a connection to the database between sessions", async () => {
    bouncer = await startBouncer(cluster, { settings: { default_pool_size: 1 } });
    await using first = new SQL(bouncer.url(), { max: 1, prepare: false });
    await using second = new SQL(bouncer.url(), { max: 1, prepare: false });

    const pid = (sql: SQL): Promise<unknown> => sql`SELECT pg_backend_pid() AS pid`.execute();

    expect(await pid(first)).toEqual(await pid(second));
    expect(await bouncer.console("SHOW CONFIG")).toContain("pool_mode|transaction|");
  });

  testOnBouncer("pauses, resumes and restarts", async () => {
    bouncer ??= await startBouncer(cluster);
    await using sql = new SQL(bouncer.url(), { max: 1, prepare: false });
    await one(sql);

    await bouncer.pause();
    const asked = one(sql);
    while (/^postgres\|postgres\|\d+\|[1-9]/m.test(await bouncer.console("SHOW POOLS")) === false);
    expect(Bun.peek.status(asked)).toBe("pending");
    await bouncer.resume();
    expect(await asked).toEqual(ONE);

    await bouncer.restart();
    await using fresh = new SQL(bouncer.url(), { max: 1, prepare: false });
    expect(await one(fresh)).toEqual(ONE);
  });

  testOnBouncer("asks for passwords if there are any", async () => {
    await cluster.psql("CREATE ROLE app LOGIN PASSWORD 'a:b'");
    await using own = await startBouncer(cluster, { passwords: { app: "a:b" } });
    await using right = new SQL(own.url("postgres", "app"), { max: 1, prepare: false });
    const wrong = new SQL(own.url("postgres", "app").replace("a%3Ab", "x"), { max: 1, prepare: false });

    expect(await one(right)).toEqual(ONE);
    await expect(one(wrong)).rejects.toThrow();
  });
});

describe.if(hasPostgres)("TLS", () => {
  let server: TlsCluster;
  beforeAll(async () => {
    server = await startTlsCluster();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const connect = (certificate: Certificate | undefined, user = server.role): SQL => {
    const text = (path: string): string => readFileSync(path, "utf8");
    const own = certificate === undefined ? {} : { cert: text(certificate.cert), key: text(certificate.key) };
    const tls = { ca: text(server.certificates.ca), rejectUnauthorized: true, ...own };
    return new SQL(server.cluster.url("postgres", user), { max: 1, tls });
  };

  test("accepts the client certificate of the role", async () => {
    await using sql = connect(server.certificates.client);

    const rows = await sql`SELECT client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;

    expect(rows).toEqual([{ client_dn: `/CN=${server.role}` }]);
  });

  test("refuses a certificate of a stranger, of another role, and none at all", async () => {
    await expect(one(connect(server.certificates.stranger))).rejects.toThrow();
    await expect(one(connect(server.certificates.client, "postgres"))).rejects.toThrow(
      "certificate authentication failed",
    );
    await expect(one(connect(undefined))).rejects.toThrow("client certificate");
    await expect(one(new SQL(server.cluster.url("postgres", server.role), { max: 1 }))).rejects.toThrow(
      "no encryption",
    );
  });
});
