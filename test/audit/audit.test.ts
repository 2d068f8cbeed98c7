// The audit trail, whose entries are committed with the change or not at all, and the execution log, which is written
// asynchronously.
import { describe, expect, test } from "bun:test";
import { createLog, silentLog } from "../../src/base";
import { ExecutionLog } from "../../src/audit";
import { executionLogMigrations, makeChange, openSqlite, query } from "../../src/store";
import { refusal, until } from "../connections/executing";
import { openLateStore } from "../support/late-store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { deploy, type Deployment, MovableClock, operator } from "../tools/deployment";

const DAY_MS = 24 * 3600_000;
const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM audit");

type Write = (deployment: Deployment) => Promise<unknown>;
const WRITES: [string, Write][] = [
  ["a secret", ({ runtime }) => runtime.secrets.upsert(operator(), "WORD", { value: "x" })],
  ["a deleted secret", ({ runtime }) => runtime.secrets.delete(operator(), "OLD")],
  ["a provider", (deployment) => deployment.addProvider({ id: "new" })],
  ["a changed provider", ({ runtime }) => runtime.providers.update(operator(), "idp", { description: "x" })],
  ["a deleted provider", ({ runtime }) => runtime.providers.delete(operator(), "idp")],
  ["a key", ({ runtime }) => runtime.identity.createKey(operator(), { name: "x" })],
  ["a project", ({ runtime }) => runtime.identity.createProject(operator(), "new", "x")],
  ["a deleted project", ({ runtime }) => runtime.identity.deleteProject(operator(), "second")],
];

async function prepared(): Promise<Deployment> {
  const deployment = await deploy();
  const { runtime } = deployment;
  await deployment.addProvider();
  await runtime.secrets.upsert(operator(), "OLD", { value: "x" });
  await runtime.identity.createProject(operator(), "second", "second");
  return deployment;
}

async function rows({ runtime }: Deployment): Promise<number> {
  return (await runtime.core.store.get(COUNT))?.count ?? 0;
}

describe("the audit trail has", () => {
  test.each(WRITES)("one row for %s", async (_name, write) => {
    await using deployment = await prepared();
    const before = await rows(deployment);
    await write(deployment);

    expect(await rows(deployment)).toBe(before + 1);
  });

  test.each(WRITES)(
    "no entry for %s that was not stored, and nothing is stored without an entry",
    async (_name, write) => {
      await using deployment = await prepared();
      const { store } = deployment.runtime.core;
      const tables = ["audit", "secrets", "auth_providers", "api_keys", "projects"];
      const counts = async () =>
        Promise.all(tables.map((table) => store.get(query(`SELECT COUNT(*) AS count FROM ${table}`))));
      const before = await counts();
      const commit = store.write.bind(store);
      store.write = (body) =>
        commit(function* () {
          yield* body();
          throw new Error("the disk is full");
        });

      expect((await refusal(write(deployment))).message).toBe("the disk is full");
      expect(await counts()).toEqual(before);
    },
  );

  test("no entry for a refused request", async () => {
    await using deployment = await prepared();
    const before = await rows(deployment);
    await refusal(deployment.runtime.secrets.delete(operator(), "none"));
    await refusal(deployment.addProvider());
    await refusal(deployment.runtime.connections.delete(operator(), "ac_none"));

    expect(await rows(deployment)).toBe(before);
  });
});

describe("a request that changes nothing", () => {
  const events: [string, (deployment: Deployment) => Promise<unknown>][] = [
    ["an export", ({ runtime }) => runtime.manifests.export(operator())],
    [
      "a test of a plugin",
      async ({ runtime }) => {
        const { items } = await runtime.plugins.list(operator(), {});
        return runtime.trials.try(operator(), items[0]?.id ?? "");
      },
    ],
  ];
  async function withoutDisk(environment: Record<string, string>): Promise<Deployment> {
    const deployment = await deploy({ environment });
    const { runtime } = deployment;
    const { change } = await runtime.plugins.creation(operator(), {
      name: "policy",
      plugin_type: "webhook",
      webhook_config: { endpoints: { pre: { url: "http://127.0.0.1:1/pre" } } },
    });
    await makeChange(runtime.core.store, change);
    runtime.core.store.write = () => Promise.reject(new Error("the disk is full"));
    return deployment;
  }

  test.each(events)(
    "(%s) continues if its entry cannot be written, and says so in the log",
    async (_, event) => {
      await using deployment = await withoutDisk({});
      await event(deployment);

      expect(deployment.logLines.join()).toContain("audit entry not written");
    },
  );

  test.each(events)("(%s) fails with `audit.required` if its entry cannot be written", async (_, event) => {
    await using deployment = await withoutDisk({ RUNTIME_AUDIT_REQUIRED: "true" });

    await expect(event(deployment)).rejects.toMatchObject({ name: "unavailable" });
  });
});

describe("the execution log", () => {
  function open(file = `${temporaryFolder()}/executions.db`, keepDays = 90) {
    const store = closedAfterTest(
      openSqlite({ file, migrations: executionLogMigrations, durability: "normal" }),
    );
    const lines: string[] = [];
    const clock = new MovableClock();
    const log = createLog({ level: "debug", clock, write: (line) => lines.push(line) });
    return {
      file,
      store,
      clock,
      lines,
      executionLog: new ExecutionLog({ store, main: store, clock, log, keepDays }),
    };
  }
  const entry = {
    id: "te_1",
    executionId: "tc_1",
    projectId: "default",
    incarnation: "",
    userId: "alice",
    actor: "operator",
    tool: "Test.Echo@1.2.3",
    status: "completed" as const,
    errorKind: null,
    durationMs: 1.5,
    erasure: 0,
  };

  test.each([1, 19, 20, 21, 45])("contains each of %p simultaneous entries", async (count) => {
    const { store, executionLog } = open();
    const ids = Array.from({ length: count }, (_, index) => `te_${String(index).padStart(3, "0")}`);
    for (const id of ids) executionLog.add({ ...entry, id, executionId: id.replace("te", "tc") });
    await executionLog.flush();
    const all = query<{ id: string; execution_id: string }>(
      "SELECT id, execution_id FROM executions ORDER BY id",
    );

    expect(await store.all(all)).toEqual(ids.map((id) => ({ id, execution_id: id.replace("te", "tc") })));
  });

  test.each([
    ["90 days", 90, 0],
    ["for ever", 0, 300],
  ])(
    "that is kept %s deletes older entries when new ones are added, and no others",
    async (_, days, left) => {
      const { store, clock, executionLog } = open(undefined, days);
      const add = async (ids: readonly string[]): Promise<void> => {
        for (const id of ids) executionLog.add({ ...entry, id, executionId: id.replace("te", "tc") });
        await executionLog.flush();
      };
      const some = (name: string, count: number): string[] =>
        Array.from({ length: count }, (_, index) => `te_${name}_${index}`);
      await add(some("old", 300));
      clock.move(89 * DAY_MS);
      await add(some("young", 30));
      clock.move(2 * DAY_MS);
      for (const day of ["a", "b", "c", "d", "e", "f"]) await add(some(day, 20));

      const counts = query<{ name: string; count: number }>(
        "SELECT SUBSTR(id, 4, INSTR(SUBSTR(id, 4), '_') - 1) AS name, COUNT(*) AS count FROM executions GROUP BY 1",
      );
      const kept = new Map((await store.all(counts)).map(({ name, count }) => [name, count]));
      expect(kept.get("old") ?? 0).toBe(left);
      expect(["young", "a", "f"].map((name) => kept.get(name))).toEqual([30, 20, 20]);
    },
  );

  describe("under a clock that jumps ahead by 100 days", () => {
    const some = async (log: ExecutionLog, name: string, count: number): Promise<void> => {
      for (let number = 0; number < count; number++) {
        const id = `te_${name}_${number}`;
        log.add({ ...entry, id, executionId: id.replace("te", "tc") });
        await log.flush();
      }
    };
    const all = query<{ count: number }>("SELECT COUNT(*) AS count FROM executions");

    test("keeps its entries, until the clock has gone on for a day", async () => {
      const { store, clock, executionLog } = open();
      await some(executionLog, "old", 30);
      clock.jump(100 * DAY_MS);
      await some(executionLog, "jumped", 5);
      expect(await store.get(all)).toEqual({ count: 35 });

      clock.move(DAY_MS);
      await some(executionLog, "a", 2);
      clock.move(DAY_MS);
      await some(executionLog, "b", 2);
      expect(await store.get(all)).toEqual({ count: 9 });
    });

    test("keeps its entries when the jump was before the start, and when it is corrected", async () => {
      const before = open();
      await some(before.executionLog, "old", 30);
      const { file, store, clock, executionLog } = open(before.file);
      clock.move(100 * DAY_MS);
      await some(executionLog, "jumped", 5);
      clock.move(DAY_MS / 2);
      await some(executionLog, "later", 5);
      expect(await store.get(all)).toEqual({ count: 40 });
      const after = open(file);
      await some(after.executionLog, "corrected", 5);
      expect(await after.store.get(all)).toEqual({ count: 45 });
    });

    test("keeps its entries when each start sees another jump", async () => {
      const { file, executionLog } = open();
      await some(executionLog, "old", 30);
      for (let start = 1; start <= 5; start++) {
        const again = open(file);
        again.clock.move(start * 100 * DAY_MS);
        await some(again.executionLog, `start${start}`, 5);
        expect(await again.store.get(all)).toEqual({ count: 30 + 5 * start });
      }
    });

    test("keeps its entries when clocks that are wrong by different amounts take turns", async () => {
      const { file, executionLog } = open();
      await some(executionLog, "old", 30);
      const [first, second] = [open(file), open(file)];
      first.clock.move(100 * DAY_MS);
      second.clock.move(101 * DAY_MS);
      for (let turn = 0; turn < 10; turn++) {
        await some(first.executionLog, `first${turn}`, 1);
        await some(second.executionLog, `second${turn}`, 1);
      }
      expect(await first.store.get(all)).toEqual({ count: 50 });
    });
  });

  describe("that cannot be written", () => {
    const ids = query<{ id: string }>("SELECT id FROM executions ORDER BY rowid");
    const added = (log: ExecutionLog, from: number, to: number): void => {
      for (let number = from; number < to; number++) {
        log.add({ ...entry, id: `te_${number}`, executionId: `tc_${number}` });
      }
    };

    test("is written later, each entry once and in order", async () => {
      const { store, executionLog, lines } = open();
      const write = store.write.bind(store);
      let failures = 3;
      // The last failure is one whose commit succeeded.
      store.write = async (body) => {
        if (failures === 1) await write(body);
        if (failures-- > 0) throw new Error("the disk is full");
        return write(body);
      };
      added(executionLog, 0, 3);
      await executionLog.flush();
      added(executionLog, 3, 5);
      await until(async () => failures < 0);
      await executionLog.close();

      expect((await store.all(ids)).map(({ id }) => id)).toEqual(["te_0", "te_1", "te_2", "te_3", "te_4"]);
      expect(lines.filter((line) => line.includes("execution log not written"))).toHaveLength(1);
    });

    test("keeps the newest 10,000 entries, and logs once how many it dropped", async () => {
      const { store, executionLog, lines } = open();
      const write = store.write.bind(store);
      store.write = () => Promise.reject(new Error("the disk is full"));
      added(executionLog, 0, 10_001);
      await executionLog.flush();
      added(executionLog, 10_001, 10_003);
      store.write = write;
      await executionLog.close();

      const stored = await store.all(ids);
      expect([stored.length, stored[0]?.id]).toEqual([10_000, "te_3"]);
      const dropped = lines.filter((line) => line.includes("execution log entries dropped"));
      expect(dropped.map((line) => Number(JSON.parse(line).count))).toEqual([3]);
    });
  });

  test("records runs", async () => {
    const { store, executionLog } = open();
    executionLog.add(entry);
    const all = query<{ id: string; duration_ms: number }>("SELECT id, duration_ms FROM executions");
    await until(async () => (await store.all(all)).length > 0);

    expect(await store.all(all)).toEqual([{ id: "te_1", duration_ms: 1.5 }]);
  });

  test("has separate times of last use for a key and a secret with the same id", async () => {
    const { executionLog } = open();
    executionLog.used("key", "x");
    await executionLog.flush();

    expect(await executionLog.lastUsed("key", "x")).toBeNumber();
    expect(await executionLog.lastUsed("secret", "x")).toBeUndefined();
  });

  test.each(["key", "secret"] as const)("knows of a %s what another process stamps", async (kind) => {
    const { file, executionLog } = open();
    const other = open(file);
    const before = await executionLog.lastUsed(kind, "x");
    const seen: number[] = [];
    for (const ms of [0, 90_000]) {
      other.clock.move(ms);
      other.executionLog.used(kind, "x");
      await other.executionLog.flush();
      await Bun.sleep(1);
      seen.push((await executionLog.lastUsed(kind, "x")) ?? NaN);
    }

    expect(before).toBeUndefined();
    // The clock also advances by itself.
    expect((seen[1] ?? NaN) - (seen[0] ?? NaN)).toBeWithin(90_000, 95_000);
  });

  test("reads an unchanged time of last use once", async () => {
    const { file, store, executionLog } = open();
    const other = open(file);
    other.executionLog.used("secret", "x");
    await other.executionLog.flush();
    await Bun.sleep(1);
    const first = await executionLog.lastUsed("secret", "x");
    store.get = () => Promise.reject(new Error("was asked again"));
    other.executionLog.add(entry);
    await other.executionLog.flush();
    await Bun.sleep(1);

    expect(await executionLog.lastUsed("secret", "x")).toBe(first);
  });

  test("does not affect runs if it cannot be written, and logs the failure", async () => {
    const { store, executionLog, lines } = open();
    store.write = () => Promise.reject(new Error("the disk is full"));
    executionLog.add(entry);
    executionLog.used("key", "x");
    await executionLog.flush();

    // Both are part of one commit, so one line reports both.
    expect(lines.filter((line) => line.includes("execution log not written"))).toHaveLength(1);
  });

  test.each([
    ["the engine", openSqlite],
    ["one that answers a turn later", openLateStore],
  ] as const)("is read after what is on its way into %s", async (_name, openStore) => {
    const file = `${temporaryFolder()}/executions.db`;
    const store = closedAfterTest(
      openStore({ file, migrations: executionLogMigrations, durability: "normal" }),
    );
    const executionLog = new ExecutionLog({
      store,
      main: store,
      clock: new MovableClock(),
      log: silentLog,
      keepDays: 90,
    });
    executionLog.add(entry);

    void executionLog.flush();
    await executionLog.flush();

    const count = query<{ count: number }>("SELECT COUNT(*) AS count FROM executions");
    expect(await store.get(count)).toEqual({ count: 1 });
  });

  test("reports a failed write to the log when its store is closed", async () => {
    const { store, executionLog, lines } = open();
    await store.close();
    executionLog.add(entry);
    await executionLog.flush();

    expect(lines.filter((line) => line.includes("execution log not written"))).toHaveLength(1);
  });
});
