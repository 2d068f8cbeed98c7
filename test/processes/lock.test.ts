// Another process holds the write lock: reads are not affected, and writes wait.
import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startChatSandbox } from "../sandbox/chat";
import { mainMigrations, openSqlite, setFact, Unwritable } from "../../src/store";
import { api, at, call } from "../support/api";
import { Installation } from "../support/runtime-process";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

test("a lock held for 2 s does not block health, and a write succeeds afterwards", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  const admin = await installation.key("admin");
  await using server = await installation.serve();
  await call(server.address, { method: "GET", path: "/v1/health" });
  const file = join(installation.home, ".local", "share", "runtime", "runtime.db");
  using holder = new Database(file);
  holder.run("BEGIN IMMEDIATE");
  const write = api(server.address, admin).post("/v1/admin/secrets/HELD", { value: "x" });
  const slowest = await slowestHealth(server.address, 2000);
  holder.run("ROLLBACK");

  expect((await write).status).toBe(200);
  // Generous for a shared machine; a blocked event loop would take the whole 2 s.
  expect(slowest).toBeLessThan(500);
}, 60_000);

test("a lock held for longer than 5 s makes health fail until it is released", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  const admin = await installation.key("admin");
  await using server = await installation.serve();
  const health = async () => {
    const begun = performance.now();
    const { status, body } = await call(server.address, { method: "GET", path: "/v1/health" });
    expect(performance.now() - begun).toBeLessThan(2000);
    return { status, reason: String(at(body, "reason")) };
  };
  using holder = new Database(join(installation.home, ".local", "share", "runtime", "runtime.db"));
  holder.run("BEGIN IMMEDIATE");
  const began = Date.now();
  const write = api(server.address, admin).post("/v1/admin/secrets/HELD", { value: "x" });
  await Bun.sleep(2000);
  expect((await health()).status).toBe(200);
  await Bun.sleep(4000);

  const stalled = await health();

  expect(stalled.status).toBe(503);
  const [, since = ""] =
    /^Writes have waited for another process .* since (\S+Z)\. /.exec(stalled.reason) ?? [];
  expect(Math.abs(Date.parse(since) - began)).toBeLessThan(3000);
  expect((await health()).reason).toBe(stalled.reason);
  holder.run("ROLLBACK");
  expect((await write).status).toBe(200);
  expect((await health()).status).toBe(200);
}, 60_000);

test("health finds out by itself that the lock was released after every write gave up", async () => {
  const file = join(temporaryFolder(), "runtime.db");
  const store = closedAfterTest(openSqlite({ file, migrations: mainMigrations, lockTimeoutMs: 100 }));
  using holder = new Database(file);
  holder.run("BEGIN IMMEDIATE");
  await expect(store.write(() => setFact("a", "b"))).rejects.toThrow("locked");
  await Bun.sleep(5000);
  await expect(store.check()).rejects.toThrow(Unwritable);

  holder.run("ROLLBACK");

  expect(await store.check()).toBeUndefined();
}, 60_000);

test("20 simultaneous commands succeed next to a server under load", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  const admin = await installation.key("admin");
  await using server = await installation.serve();
  let stop = false;
  const load = Array.from({ length: 8 }, async (_, writer) => {
    let count = 0;
    for (; !stop; count++) {
      const answer = await api(server.address, admin).post(`/v1/admin/secrets/LOAD_${writer}`, {
        value: `${count}`,
      });
      expect(answer.status).toBe(200);
    }
    return count;
  });

  const commands = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      installation.run(["secrets", "set", `SET_${index}`, "-"], `value ${index}`),
    ),
  );
  stop = true;

  expect(commands.map(({ code, stderr }) => [code, stderr])).toEqual(Array(20).fill([0, ""]));
  for (const count of await Promise.all(load)) expect(count).toBeGreaterThan(0);
}, 120_000);

/** The longest time that a health request took, ms; requests are sequential. */
async function slowestHealth(address: string, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let slowest = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    expect((await fetch(`${address}/v1/health`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - begun);
    await Bun.sleep(5);
  }
  process.stdout.write(`slowest health answer: ${slowest.toFixed(1)} ms\n`);
  return slowest;
}
