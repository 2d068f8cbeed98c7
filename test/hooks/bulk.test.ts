// The bulk operation changes all hooks or none.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { BulkUpsertHooks } from "../../src/hooks";
import { at } from "../support/api";
import { startChild } from "../support/child";
import { operator } from "../tools/deployment";
import { type Hooked, hooked } from "./hooked";
import { testOnSqlite } from "../support/on-sqlite";

type Config = BulkUpsertHooks["configs"][number];

let stage: Hooked;
const plugins: string[] = [];
beforeAll(async () => {
  stage = await hooked();
  for (let index = 0; index < 50; index++) {
    // The tests create the pre hook in bulk.
    const made = await stage.plugin({ points: ["post", "pre"], name: `plugin ${index}`, priority: index });
    await stage.deployment.runtime.hooks.delete(operator(), made.hooks.pre ?? "");
    plugins.push(made.id);
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const bulk = (configs: unknown) => stage.admin.patch("/v1/hooks/bulk", { configs });
const pre = (index: number, more: object = {}) => ({
  plugin_id: plugins[index],
  hook_point: "tool.pre",
  failure_mode: "fail_closed",
  priority: index,
  ...more,
});
const fifty = () => Array.from({ length: 50 }, (_, index) => pre(index));
const hooksAt = async (point: string) =>
  (await stage.deployment.runtime.hooks.list(operator(), { hook_point: point as "tool.pre", limit: 100 }))
    .items;

/** The hook of the plugin with this number. */
const preHook = async (index: number) =>
  (await hooksAt("tool.pre")).find(({ plugin_id }) => plugin_id === plugins[index]);
const versions = async () => new Map((await hooksAt("tool.pre")).map(({ id, version }) => [id, version]));

describe("fifty entries, the 37th invalid:", () => {
  test.each([
    ["an unknown plugin", { plugin_id: "pl_unknown" }, "plugin_id"],
    ["no failure mode for a new hook", { failure_mode: undefined }, "failure_mode"],
    ["a failure mode that is none", { failure_mode: "maybe" }, "failure_mode"],
    ["a priority that is none", { priority: 1001 }, "priority"],
    ["a priority of another entry", { priority: 3 }, "priority"],
    ["a point without an endpoint", { hook_point: "tool.access" }, "hook_point"],
    ["a point that is none", { hook_point: "tool.before" }, "hook_point"],
  ])("%s: nothing is stored, and the answer names the entry", async (_what, broken, field) => {
    const configs: unknown[] = fifty();
    configs[36] = pre(36, broken);

    const answer = await bulk(configs);

    expect([answer.status, at(answer.body, "name")]).toEqual([400, "malformed_request"]);
    const fields = (at(answer.body, "field_errors") as { field: string }[]).map((error) => error.field);
    expect(fields).toContain(`configs.36.${field}`);
    expect(
      fields.filter((name) => !name.startsWith("configs.36.") && !name.startsWith("configs.3.")),
    ).toEqual([]);
    expect(await hooksAt("tool.pre")).toEqual([]);
  });

  test("the same hook twice", async () => {
    const answer = await bulk([...fifty().slice(0, 36), pre(4, { priority: 900 })]);

    expect(answer.status).toBe(400);
    expect(at(answer.body, "field_errors.0.field")).toBe("configs.36.hook_point");
    expect(await hooksAt("tool.pre")).toEqual([]);
  });

  test.each([
    ["an empty list", []],
    ["101 entries", Array.from({ length: 101 }, () => ({}))],
    ["no list", {}],
  ])("%s", async (_what, configs) => {
    expect((await bulk(configs)).status).toBe(400);
  });
});

test("creates, updates, or does not change hooks", async () => {
  const first = await bulk(fifty());
  expect(first.body).toMatchObject({ success: 50, failed: 0 });
  expect(at(first.body, "results.49")).toEqual({
    action: "created",
    hook_id: expect.stringMatching(/^hk_/),
    hook_point: "tool.pre",
    plugin_id: plugins[49],
  });

  const second = await bulk([pre(0), pre(1, { status: "inactive" })]);
  expect((at(second.body, "results") as { action: string }[]).map(({ action }) => action)).toEqual([
    "unchanged",
    "updated",
  ]);
  const [unchanged, updated] = [await preHook(0), await preHook(1)];
  expect([unchanged?.version, updated?.version, updated?.status]).toEqual([1, 2, "inactive"]);
});

test("can swap the priorities of hooks", async () => {
  const answer = await bulk([pre(0, { priority: 1 }), pre(1, { priority: 0 })]);
  expect(answer.status).toBe(200);
  const [zero, one] = [await preHook(0), await preHook(1)];
  expect([zero?.priority, one?.priority]).toEqual([1, 0]);
  await bulk([pre(0), pre(1)]);
});

test("an entry that matches several hooks is refused", async () => {
  const another = { name: "another", plugin_id: plugins[7], hook_point: "tool.pre", phase: "before" };
  const { body } = await stage.admin.post("/v1/hooks", {
    ...another,
    failure_mode: "fail_open",
    priority: 777,
  });

  const answer = await bulk([pre(7, { status: "inactive" })]);

  expect([answer.status, at(answer.body, "field_errors.0.field")]).toEqual([400, "configs.0.hook_point"]);
  await stage.admin.delete(`/v1/hooks/${String(at(body, "id"))}`);
});

test("an entry matches the hook of its plugin and point; other fields are ignored", async () => {
  const [zero, one] = [await preHook(0), await preHook(1)];

  const { body } = await bulk([pre(0, { hook_id: one?.id, timeout_ms: 1, name: "x" })]);

  expect(at(body, "results.0")).toMatchObject({ action: "unchanged", hook_id: zero?.id });
});

test("a plugin of another project is unknown", async () => {
  const { runtime } = stage.deployment;
  await runtime.identity.createProject(operator(), "elsewhere", "elsewhere");
  const config: Config = { plugin_id: plugins[0] ?? "", hook_point: "tool.pre", failure_mode: "fail_open" };

  const refused = await runtime.hooks
    .bulk(operator("elsewhere"), { configs: [config] })
    .catch((error) => error);

  expect([refused.status, refused.fieldErrors?.[0]?.field]).toEqual([400, "configs.0.plugin_id"]);
});

testOnSqlite(
  "if the process is killed, either all of them or none have changed",
  async () => {
    const { folder } = stage.deployment;
    await bulk(fifty().map((config) => ({ ...config, status: "active" })));
    const before = await versions();
    let changed = 0;
    for (let round = 0; round < 8; round++) {
      const child = startChild(join(import.meta.dir, "bulk-child.ts"), folder);
      expect(await child.line()).toBe("started");
      await child.line();
      await Bun.sleep(round * 3);
      child.kill();
      await child.exited;
      const all = await hooksAt("tool.pre");
      expect(all).toHaveLength(50);
      // All hooks were changed equally often.
      const changes = all.map(
        ({ id, status, version }) => `${status} after ${version - (before.get(id) ?? 0)}`,
      );
      expect(new Set(changes).size).toBe(1);
      changed += changes[0] === undefined ? 0 : Number(changes[0].split(" ").at(-1));
    }
    expect(changed).toBeGreaterThan(0);
  },
  30_000,
);
