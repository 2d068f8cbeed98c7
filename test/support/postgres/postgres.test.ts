// The servers of the tests do what they say: start, crash, fail over, run out of space and leave nothing behind.
import { SQL } from "bun";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../child";
import { testOnBouncer } from "./bouncer";
import type { Cluster } from "./cluster";
import { startCluster } from "./cluster";
import { startEmbedded, testOnEmbedded } from "./embedded";
import { startOnSmallDisk, testOnFullDisk } from "./full-disk";
import { hasPostgres, testOnPostgres } from "./programs";
import { startReplication } from "./standby";

describe.if(hasPostgres)("a cluster", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ settings: { work_mem: "7MB" } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("accepts connections at its URL", async () => {
    await using sql = new SQL(cluster.url(), { max: 1 });

    expect(await sql`SELECT current_user::text AS name`).toEqual([{ name: "postgres" }]);
  });

  test("has the settings that a test asks for", async () => {
    expect(await cluster.psql("SHOW work_mem; SHOW max_connections; SHOW fsync")).toBe("7MB\n300\noff");

    cluster.configure({ work_mem: "8MB" });
    await cluster.psql("SELECT pg_reload_conf()");
    await cluster.restart();
    expect(await cluster.psql("SHOW work_mem")).toBe("8MB");
  });

  test("has a default collation that is not C", async () => {
    expect(await cluster.psql(`SELECT 'b' < 'C', 'b' < 'C' COLLATE "C"`)).toBe("t|f");
  });

  test("says what PostgreSQL said about a wrong statement", async () => {
    await expect(cluster.psql("SELEKT")).rejects.toThrow('syntax error at or near "SELEKT"');
  });

  const ends = [
    { name: "kill", end: () => cluster.kill() },
    { name: "fast", end: () => cluster.stop("fast") },
    { name: "immediate", end: () => cluster.stop("immediate") },
  ];
  test.each(ends)("keeps commits over a stop and ends its sessions: $name", async ({ end }) => {
    await cluster.psql("DROP TABLE IF EXISTS notes; CREATE TABLE notes AS SELECT 'kept' AS text");
    await using sql = new SQL(cluster.url(), { max: 1 });
    const outcome = sql`SELECT pg_sleep(600)`.then(() => "done", String);
    while (
      (await cluster.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) === "0"
    );

    await end();
    expect(await outcome).toMatch(/closed|terminat/i);
    expect(cluster.running).toBe(false);

    await cluster.start();
    expect(cluster.running).toBe(true);
    expect(await cluster.psql("SELECT text FROM notes")).toBe("kept");
    expect(cluster.logTail()).toContain("ready to accept connections");
  });
});

testOnPostgres("a cluster may have durable commits and rules for sessions", async () => {
  await using cluster = await startCluster({ fsync: true, hba: ["host all all 127.0.0.1/32 scram-sha-256"] });
  await cluster.psql("CREATE ROLE app LOGIN PASSWORD 'right'");
  const connect = (password: string): SQL =>
    new SQL(cluster.url("postgres", "app").replace("app@", `app:${password}@`), { max: 1 });

  await using right = connect("right");
  expect(await right`SHOW fsync`).toEqual([{ fsync: "on" }]);
  const wrong = connect("wrong");
  await expect(wrong`SELECT 1`.execute()).rejects.toThrow("password authentication failed");
});

testOnPostgres("an ended cluster leaves no files", async () => {
  const cluster = await startCluster();
  await cluster.kill();
  await cluster[Symbol.asyncDispose]();

  expect(existsSync(cluster.socketFolder)).toBe(false);
  expect(readFileSync("/proc/mounts", "utf8")).not.toContain(cluster.socketFolder);
});

// A test process that is killed after it has started a cluster and one more thing.
async function leavesNothing(part: string): Promise<void> {
  const child = startChild(join(import.meta.dir, "abandoned.ts"), part);
  const { ports, folders } = JSON.parse((await child.line()) ?? "");
  expect(folders.every(existsSync)).toBe(true);

  child.kill();
  while (folders.some(existsSync)) await Bun.sleep(20);

  const mounts = readFileSync("/proc/mounts", "utf8");
  expect(folders.filter((folder: string) => mounts.includes(folder))).toEqual([]);
  for (const port of ports) {
    const connected = Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } });
    expect(
      await connected.then(
        () => "connected",
        (error) => error.code,
      ),
    ).toBe("ECONNREFUSED");
  }
}

testOnBouncer("a killed test process leaves no servers behind", () => leavesNothing("bouncer"));
testOnFullDisk("a killed test process leaves no disks behind", () => leavesNothing("disk"));

testOnPostgres("a standby has every acknowledged commit, in whatever way the primary ends", async () => {
  await using replication = await startReplication();
  await replication.primary.psql("CREATE TABLE notes (id int)");
  const ports = replication.url();

  for (const [id, end] of (["kill", "fast", "kill"] as const).entries()) {
    const former = replication.primary;
    await former.psql(`INSERT INTO notes VALUES (${id})`);
    await replication.failOver(end);
    expect(replication.standby).toBe(former);
    // Nothing waits for the standby that is missing.
    await replication.primary.psql(`INSERT INTO notes VALUES (${id} + 10)`);
    await replication.rejoin();
  }

  const rows = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM notes";
  expect(await replication.standby.psql(rows)).toBe("0 1 2 10 11 12");
  expect(replication.url()).toBe(ports);
});

testOnPostgres("a commit waits for the standby", async () => {
  await using replication = await startReplication();
  const { primary, standby } = replication;
  await primary.psql("CREATE TABLE notes (id int)");

  await standby.kill();
  const commit = primary.psql("INSERT INTO notes VALUES (1)");
  while ((await primary.psql("SELECT wait_event FROM pg_stat_activity")).includes("SyncRep") === false);
  expect(await primary.psql("SELECT count(*) FROM notes")).toBe("0");

  await standby.start();
  await commit;
  expect(await primary.psql("SELECT count(*) FROM notes")).toBe("1");
});

testOnPostgres("a standby refuses writes until it is promoted, even while the primary runs", async () => {
  await using replication = await startReplication();
  const { primary, standby } = replication;
  await expect(standby.psql("CREATE TABLE notes (id int)")).rejects.toThrow("read-only transaction");

  await replication.promote();

  expect(replication.primary).toBe(standby);
  expect(primary.running).toBe(true);
  await standby.psql("CREATE TABLE notes (id int)");
});

testOnFullDisk("a full disk refuses rows until there is space again", async () => {
  await using disk = await startOnSmallDisk();
  const { cluster } = disk;
  await cluster.psql("CREATE TABLE notes (text text)");
  const insert = "INSERT INTO notes SELECT repeat('x', 1000) FROM generate_series(1, 1000)";

  disk.fill();
  await expect(cluster.psql(insert)).rejects.toThrow("No space left on device");
  expect(cluster.running).toBe(true);

  disk.free();
  await cluster.psql(insert);
  expect(await cluster.psql("SELECT count(*) FROM notes")).toBe("1000");
});

testOnFullDisk("a server that cannot write its log stops, and starts again when there is space", async () => {
  await using disk = await startOnSmallDisk();
  const { cluster, fill, free } = disk;
  await cluster.psql("CREATE TABLE notes AS SELECT 'kept' AS text");

  fill();
  const message = "SELECT pg_logical_emit_message(true, 'test', repeat('z', 1000000))";
  const ended = cluster.ended.then(() => "ended");
  while ((await Promise.race([ended, cluster.psql(message).catch(() => "")])) !== "ended");

  free();
  await cluster.start();
  expect(await cluster.psql("SELECT text FROM notes")).toBe("kept");
});

testOnEmbedded()("the package of npm runs PostgreSQL 18", async () => {
  await using cluster = await startEmbedded();

  expect(await cluster.psql("SHOW server_version_num")).toStartWith("18");
  await cluster.kill();
  await cluster.start();
  await using sql = new SQL(cluster.url(), { max: 1 });
  expect(await sql`SELECT 'b' < 'C' AS less`).toEqual([{ less: true }]);
});
