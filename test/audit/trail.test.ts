// Reading the audit trail and the execution log: newest first, page by page, only of the own project.
import { describe, expect, onTestFinished, test } from "bun:test";
import { Audit, Trail } from "../../src/audit";
import { silentLog } from "../../src/base";
import { systemRandom } from "../../src/crypto";
import { createRuntime } from "../../src/runtime";
import { mainMigrations, openSqlite, query, run } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { agent, deploy, type Deployment, MovableClock, operator } from "../tools/deployment";
import { testOnSqlite } from "../support/on-sqlite";

async function withSecrets(count: number): Promise<Deployment> {
  const deployment = await deploy();
  for (let n = 0; n < count; n++) {
    deployment.clock.move(1);
    await deployment.runtime.secrets.upsert(operator(), `KEY_${n}`, { value: "hidden value" });
  }
  return deployment;
}

describe("the audit trail", () => {
  test("is listed newest first, in contiguous pages", async () => {
    await using deployment = await withSecrets(5);
    const { trail } = deployment.runtime;

    const first = await trail.audit(operator(), { action: "secret.", limit: 2 });
    const second = await trail.audit(operator(), { action: "secret.", limit: 2, before: first.next ?? "" });
    const third = await trail.audit(operator(), { action: "secret.", limit: 2, before: second.next ?? "" });

    const targets = [first, second, third].map(({ items }) => items.map(({ target }) => target));
    expect(targets).toEqual([["KEY_4", "KEY_3"], ["KEY_2", "KEY_1"], ["KEY_0"]]);
    expect(third.next).toBeUndefined();
    expect(JSON.stringify([first, second, third])).not.toContain("hidden value");
  });

  test("keeps the order of entries of the same millisecond", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const keys = Array.from({ length: 30 }, (_, n) => `KEY_${n}`);
    await Promise.all(keys.map((key) => runtime.secrets.upsert(operator(), key, { value: "v" })));

    const { items } = await runtime.trail.audit(operator(), { action: "secret.", limit: 30 });

    expect(items.map(({ target }) => target)).toEqual(keys.toReversed());
  });

  test.each([
    [{ target: "KEY_1" }, 1],
    [{ actor: "operator" }, 3],
    [{ actor: "key:nobody" }, 0],
    [{ action: "secret.upsert" }, 3],
    [{ action: "upsert" }, 0],
  ])("is filtered by %j", async (filter, count) => {
    await using deployment = await withSecrets(3);

    const { items } = await deployment.runtime.trail.audit(operator(), filter);

    expect(items.filter(({ target }) => target.startsWith("KEY_"))).toHaveLength(count);
  });

  test("does not show changes and runs of a deleted project with the same id", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const make = () => runtime.identity.createProject(operator(), "second", "Second");
    await make();
    const former = await runtime.identity.operator("second");
    await runtime.secrets.upsert(former, "FORMER", { value: "v" });
    await runtime.tools.execute(former, { tool_name: "Test.Look", user_id: "former" });
    const seen = async () =>
      JSON.stringify([
        await runtime.trail.audit(operator("second"), {}),
        await runtime.trail.executions(operator("second"), {}),
      ]);
    expect(await seen()).toMatch(/FORMER.*former/s);
    clock.move(1);
    await runtime.identity.deleteProject(operator(), "second");
    clock.move(1);
    await make();
    expect(await seen()).toContain("project.create");
    expect(await seen()).not.toMatch(/former/i);
  });

  test("does not show another project, whose entries are unknown", async () => {
    await using deployment = await withSecrets(2);
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "Second");
    const [entry] = (await runtime.trail.audit(operator(), {})).items;

    const { items } = await runtime.trail.audit(operator("second"), {});

    expect(items.map(({ action }) => action)).toEqual(["project.create"]);
    await expect(runtime.trail.audit(operator("second"), { before: entry?.id ?? "" })).rejects.toMatchObject({
      name: "not_found",
    });
  });

  test("keeps the order of the commits of two processes whose clocks differ", async () => {
    const ahead = new MovableClock();
    ahead.move(60_000);
    const folder = temporaryFolder();
    const opened = async (clock: MovableClock) => {
      const runtime = await createRuntime(loadConfig({ environment: { HOME: folder } }), NO_EXTENSIONS, {
        log: silentLog,
        clock,
      });
      onTestFinished(() => runtime.close());
      return runtime;
    };
    const [fast, slow] = [await opened(ahead), await opened(new MovableClock())];
    await fast.identity.createProject(operator(), "second", "Second");
    for (const [index, runtime] of [slow, fast, slow, slow, fast].entries())
      await runtime.secrets.upsert(operator("second"), `KEY_${index}`, { value: "v" });

    for (const runtime of [fast, slow]) {
      const { items } = await runtime.trail.audit(operator("second"), { action: "secret." });
      expect(items.map(({ target }) => target)).toEqual(["KEY_4", "KEY_3", "KEY_2", "KEY_1", "KEY_0"]);
    }
  });

  test("keeps the order of entries while the clock is set back, in contiguous pages", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    clock.move(60_000);
    for (const key of ["A", "B", "C"]) {
      await runtime.secrets.upsert(operator(), key, { value: "v" });
      clock.move(-10_000);
    }
    const windows: string[] = [];
    let before: string | undefined;
    do {
      const { items, next } = await runtime.trail.audit(operator(), {
        action: "secret.",
        limit: 1,
        ...(before === undefined ? {} : { before }),
      });
      windows.push(...items.map(({ target }) => target));
      before = next;
    } while (before !== undefined);

    expect(windows).toEqual(["C", "B", "A"]);
  });

  test("has the order of the commits of two processes whose clocks differ, in contiguous pages", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const other = await deployment.another();
    clock.move(60_000);
    await runtime.secrets.upsert(operator(), "A", { value: "v" });
    clock.move(-3_600_000);
    await other.secrets.upsert(operator(), "B", { value: "v" });
    await runtime.secrets.upsert(operator(), "C", { value: "v" });
    clock.move(3_600_000);
    await other.secrets.upsert(operator(), "D", { value: "v" });

    const first = await runtime.trail.audit(operator(), { action: "secret.", limit: 2 });
    const second = await other.trail.audit(operator(), { action: "secret.", before: first.next ?? "" });
    const deployed = await runtime.trail.deploymentAudit(operator(), {});

    expect([first, second].map(({ items }) => items.map(({ target }) => target))).toEqual([
      ["D", "C"],
      ["B", "A"],
    ]);
    expect(second.next).toBeUndefined();
    expect(deployed.items).toEqual([]);
  });

  testOnSqlite("of an earlier version is listed and can be continued", async () => {
    const file = `${temporaryFolder()}/runtime.db`;
    const old = openSqlite({ file, migrations: mainMigrations.slice(0, 7) });
    const add = query<never>(
      "INSERT INTO audit (id, project_id, actor, action, target, details, created_at) VALUES (?, ?, 'operator', ?, ?, ?, ?)",
    );
    await old.write(function* () {
      yield* run(query("INSERT INTO organizations VALUES ('default', 'Default', 1000)"));
      yield* run(query("INSERT INTO projects VALUES ('default', 'default', 'Default', NULL, 1000)"));
      yield* run(add, `au_0000000003e7${"f".repeat(20)}`, "default", "secret.upsert", "former", null, 999);
      yield* run(add, `au_0000000003e8${"0".repeat(20)}`, "default", "project.create", "default", null, 1000);
      yield* run(
        add,
        `au_0000000003ea${"0".repeat(20)}`,
        "default",
        "key.create",
        "k",
        '{"role":"run"}',
        1002,
      );
      yield* run(add, `au_0000000003eb${"0".repeat(20)}`, null, "project.delete", "second", null, 1003);
    });
    await old.close();
    const store = closedAfterTest(openSqlite({ file, migrations: mainMigrations }));
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    await store.write(() => audit.record(operator(), "secret.upsert", "NEW"));
    const trail = new Trail(store, store, () => Promise.resolve());

    const { items } = await trail.audit(operator(), {});
    expect(items.map(({ target }) => target)).toEqual(["NEW", "k", "default"]);
    expect(items[1]).toMatchObject({ time: "1970-01-01T00:00:01Z", details: { role: "run" } });
    const deployment = await trail.deploymentAudit(operator(), {});
    expect(deployment.items.map(({ target }) => target)).toEqual(["second"]);
  });

  test("of the deployment is only visible to the operator", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "Second");
    await runtime.identity.deleteProject(operator(), "second");

    const { items } = await runtime.trail.deploymentAudit(operator(), {});

    expect(items).toMatchObject([{ action: "project.delete", target: "second", actor: "operator" }]);
    await expect(runtime.trail.deploymentAudit(agent(), {})).rejects.toMatchObject({ name: "forbidden" });
  });
});

describe("the execution log", () => {
  test("lists runs with tool, user and status, and none of another project", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await deployment.addProvider();
    for (const user of ["alice", "bob"]) {
      await deployment.give(user);
      deployment.clock.move(1);
      await runtime.tools.execute(agent(), { tool_name: "Test.Echo", user_id: user });
    }

    const { items } = await runtime.trail.executions(operator(), { tool: "test.echo" });
    expect(items.map(({ user_id }) => user_id)).toEqual(["bob", "alice"]);
    expect((await runtime.trail.executions(operator(), { user_id: "bob", tool: "Test.Ech" })).items).toEqual(
      [],
    );
    expect((await runtime.trail.executions(operator("second"), {})).items).toEqual([]);
    const pinned = { ...agent(), users: ["alice"] };
    expect((await runtime.trail.executions(pinned, {})).items.map(({ user_id }) => user_id)).toEqual([
      "alice",
    ]);
  });
});
