// Several hooks for one call: their order, the changes that each one sees, and which of them can stop the call.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openLateStore } from "../support/late-store";
import { operator } from "../tools/deployment";
import { at } from "../support/api";
import { execute, type Hooked, hooked, type Made } from "./hooked";
import type { Asked, Respond } from "./webhook-peer";

let stage: Hooked;
const made: Made[] = [];
beforeAll(async () => {
  stage = await hooked();
});
afterAll(() => stage[Symbol.asyncDispose]());

afterEach(async () => {
  const { plugins, hooks } = stage.deployment.runtime;
  for (const { id, hooks: ids } of made.splice(0)) {
    for (const hook of Object.values(ids)) await hooks.delete(operator(), hook);
    await plugins.delete(operator(), id);
  }
  for (const peer of [stage.project, stage.organization]) {
    peer.asked.length = 0;
    peer.respond = () => ({ code: "OK" });
  }
  stage.platformCalls();
});

const plugin: Hooked["plugin"] = async (options) => {
  const one = await stage.plugin(options);
  made.push(one);
  return one;
};

const inputsOf = ({ body }: Asked): { text?: string } => Object(body["inputs"]);
/** Appends a letter to the text of the inputs or of the output. */
const append: Respond = (asked) => {
  const letter = asked.path.slice(-1);
  if (asked.path.startsWith("pre"))
    return { code: "OK", override: { inputs: { text: `${inputsOf(asked).text ?? ""}${letter}` } } };
  const output: { text?: string } = Object(asked.body["output"]);
  return { code: "OK", override: { output: { text: `${output.text ?? ""}${letter}` } } };
};

/** A separate hook at one point, which is called at `/{point}-{letter}`. */
async function lettered(point: "pre" | "post", letter: string, priority: number, rest: object = {}) {
  const peer = "binding" in rest ? stage.organization : stage.project;
  return plugin({
    peer,
    points: [point],
    priority,
    timeout_ms: 10_000,
    endpoint: { url: `${peer.url}/${point}-${letter}` },
    ...rest,
  });
}

const permutations = (letters: string[]): string[][] =>
  letters.length < 2
    ? [letters]
    : letters.flatMap((one) =>
        permutations(letters.filter((other) => other !== one)).map((rest) => [one, ...rest]),
      );
const ORDERS = permutations(["a", "b", "c"]).map((order) => [order.join(""), order] as const);

describe.each(["pre", "post"] as const)("three hooks at %s", (point) => {
  test.each(ORDERS)("in the order %s: each sees what the earlier ones made", async (word, order) => {
    stage.project.respond = append;
    // Not created in the order of their priorities, which determine the order of the calls.
    for (const letter of ["a", "b", "c"]) await lettered(point, letter, order.indexOf(letter) * 10 + 5);

    const got = await execute(stage, "Test.Echo", { text: "-" });

    expect(got.value).toEqual({ text: `-${word}` });
    expect(stage.project.asked.map(({ path }) => path)).toEqual(order.map((letter) => `${point}-${letter}`));
  });

  test.each(ORDERS)("in the order %s: the first denial ends it", async (_word, order) => {
    const denying: Respond = (asked, ...rest) =>
      asked.path.endsWith("b") ? { code: "CHECK_FAILED" } : append(asked, ...rest);
    stage.project.respond = denying;
    for (const letter of ["a", "b", "c"]) await lettered(point, letter, order.indexOf(letter));

    const got = await execute(stage, "Test.Act", { text: "-" });

    expect(got).toMatchObject({ kind: "CONTEXT_DENIED", canRetry: false });
    expect(got.message).toBe("Tool execution was denied by an extension policy.");
    expect(stage.project.asked).toHaveLength(order.indexOf("b") + 1);
  });

  test.each([
    ["fail_closed", "CONTEXT_CHECK_FAILED", 1],
    ["fail_open", undefined, 2],
  ] as const)("the first of two gives no answer, %s", async (failure_mode, kind, asked) => {
    stage.project.respond = (question, ...rest) =>
      question.path.endsWith("a") ? "not this" : append(question, ...rest);
    await lettered(point, "a", 0, { failure_mode });
    await lettered(point, "b", 1);

    const got = await execute(stage, "Test.Echo", { text: "-" });

    expect(got.kind).toBe(kind);
    expect(stage.project.asked).toHaveLength(asked);
    if (kind === undefined) expect(got.value).toEqual({ text: "-b" });
  });
});

test("hooks of the organization run before or after those of the project by their phase, regardless of priority", async () => {
  stage.project.respond = stage.organization.respond = append;
  await lettered("pre", "z", 0, { binding: "tenant", phase: "after" });
  await lettered("pre", "m", 500);
  await lettered("pre", "a", 1000, { binding: "tenant", phase: "before" });

  expect((await execute(stage, "Test.Echo", { text: "-" })).value).toEqual({ text: "-amz" });
});

test("the phase of a hook of a project has no effect", async () => {
  stage.project.respond = append;
  await lettered("pre", "b", 1, { phase: "before" });
  await lettered("pre", "a", 0, { phase: "after" });

  expect((await execute(stage, "Test.Echo", { text: "-" })).value).toEqual({ text: "-ab" });
});

test("a hook of an organization applies to all its projects, a hook of a project only to that project", async () => {
  const { runtime } = stage.deployment;
  const id = `p${Date.now()}`;
  await runtime.identity.createProject(operator(), id, id);
  await lettered("pre", "o", 0, { binding: "tenant" });
  await lettered("pre", "p", 0);

  await runtime.tools.execute(operator(id), { tool_name: "Test.Echo", user_id: "alice" });

  expect([stage.organization.asked.length, stage.project.asked.length]).toEqual([1, 0]);
});

test.each([
  [
    "a hook",
    async ({ hooks }: Made) =>
      stage.deployment.runtime.hooks.update(operator(), hooks.pre ?? "", { status: "inactive" }),
  ],
  [
    "a plugin",
    async ({ id }: Made) => stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" }),
  ],
])("%s is skipped if it is inactive", async (_what, deactivate) => {
  stage.project.respond = () => ({ code: "CHECK_FAILED" });
  await deactivate(await lettered("pre", "a", 0));

  expect((await execute(stage, "Test.Echo")).success).toBe(true);
  expect(stage.project.asked).toEqual([]);
});

test("a change in another process applies to the next call", async () => {
  const other = await stage.deployment.another();
  stage.project.respond = () => ({ code: "CHECK_FAILED" });
  expect((await execute(stage, "Test.Echo")).success).toBe(true);
  const { id, hooks } = await other.plugins.create(operator(), {
    name: "elsewhere",
    plugin_type: "webhook",
    status: "active",
    webhook_config: {
      endpoints: { pre: { url: `${stage.project.url}/pre`, phase: "before", failure_mode: "fail_closed" } },
    },
  });
  expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_DENIED");
  await other.hooks.delete(operator(), hooks[0]?.id ?? "");
  expect((await execute(stage, "Test.Echo")).success).toBe(true);
  await other.plugins.delete(operator(), id);
});

describe("inputs from a hook", () => {
  test("are converted and validated like those of a caller", async () => {
    stage.project.respond = () => ({ code: "OK", override: { inputs: { txt: "x" } } });
    await lettered("pre", "a", 0);

    const { runs } = stage.deployment.test;
    const got = await execute(stage, "Test.Act", { text: "-" });

    expect(got.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(stage.deployment.test.runs).toBe(runs);
  });

  test("with additional requirements are refused like those of a caller", async () => {
    stage.project.respond = () => ({ code: "OK", override: { inputs: { mode: "do" } } });
    await lettered("pre", "a", 0);

    const got = await execute(stage, "Test.Mode", { mode: "explain" });

    expect([got.status, got.name]).toEqual([400, "tool_requirements_not_met"]);
  });

  test("keep the digits of long numbers", async () => {
    stage.project.respond = (_asked, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"code":"OK","override":{"inputs":{"text":1234567890123456789}}}');
    };
    await lettered("pre", "a", 0);

    expect((await execute(stage, "Test.Echo")).value).toEqual({ text: "1234567890123456789" });
  });

  test("are ignored with another code than OK", async () => {
    stage.project.respond = () => ({ code: "CHECK_FAILED", override: { inputs: { text: "x" } } });
    await lettered("pre", "a", 0);

    expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_DENIED");
  });
});

test("a hook can replace a secret for one call, but cannot add secrets that the tool does not declare", async () => {
  const { runtime, platform } = stage.deployment;
  await runtime.secrets.upsert(operator(), "TEST_ADDRESS", { value: platform.url });
  await runtime.secrets.upsert(operator(), "TEST_WORD", { value: "stored" });
  stage.project.respond = () => ({
    code: "OK",
    override: { secrets: [{ TEST_WORD: "for-this-call" }, { OTHER: "not declared" }] },
  });
  const one = await lettered("pre", "a", 0);

  expect((await execute(stage, "Test.Elsewhere")).value).toMatchObject({
    word: "for-this-call",
    names: ["TEST_ADDRESS", "TEST_WORD"],
  });
  await runtime.plugins.update(operator(), one.id, { status: "inactive" });
  expect((await execute(stage, "Test.Elsewhere")).value).toMatchObject({ word: "stored" });
});

test("names of secrets in an override are case-insensitive, and the last hook counts", async () => {
  const { runtime, platform } = stage.deployment;
  await runtime.secrets.upsert(operator(), "TEST_ADDRESS", { value: platform.url });
  await runtime.secrets.upsert(operator(), "TEST_WORD", { value: "stored" });
  const names = ["test_word", "TEST_WORD", "Test_Word"];
  stage.project.respond = () => {
    const name = names.shift() ?? "";
    return { code: "OK", override: { secrets: [{ [name]: `by ${name}` }] } };
  };
  for (const [index, letter] of ["a", "b", "c"].entries()) await lettered("pre", letter, index);

  expect((await execute(stage, "Test.Elsewhere")).value).toMatchObject({ word: "by Test_Word" });
});

describe("after the run", () => {
  test.each([[null], [0], [""], [[]], [{ a: { b: null } }]])(
    "an output of %j takes the place of the tool's",
    async (output) => {
      stage.project.respond = () => ({ code: "OK", override: { output } });
      await lettered("post", "a", 0);

      const got = await execute(stage, "Test.Echo", { text: "x" });

      expect(at(got.answer.body, "output")).toEqual({ value: output });
    },
  );

  test("post hooks are also called for a failed run, which stays failed", async () => {
    stage.deployment.test.act = () => Promise.reject(new Error("broken inside"));
    stage.project.respond = () => ({ code: "OK", override: { output: { all: "well" } } });
    await lettered("post", "a", 0);

    const got = await execute(stage, "Test.Look");

    expect(got).toMatchObject({ success: false, kind: "TOOL_RUNTIME_FATAL", value: undefined });
    const [asked] = stage.project.asked;
    expect(asked?.body).toMatchObject({
      success: false,
      output: null,
      execution_code: "TOOL_RUNTIME_FATAL",
      execution_error: expect.any(String),
    });
  });

  test.each([
    ["a write that was done", "Test.Act", false, "done"],
    ["a read", "Test.Look", true, "done"],
  ])(
    "%s whose result is withheld can be retried only if that is safe",
    async (_what, tool, canRetry, outcome) => {
      stage.deployment.test.act = () => Promise.resolve("CANARY-OUTPUT");
      stage.project.respond = () => "no answer";
      await lettered("post", "a", 0);

      const got = await execute(stage, tool);

      expect(got).toMatchObject({ kind: "CONTEXT_CHECK_FAILED", canRetry });
      expect(at(got.answer.body, "output.error.extra.outcome")).toBe(outcome);
      expect(got.answer.text).not.toContain("CANARY-OUTPUT");
      stage.project.respond = () => ({ code: "RATE_LIMIT_EXCEEDED" });
      expect(await execute(stage, tool)).toMatchObject({ kind: "CONTEXT_DENIED", canRetry });
    },
  );
});

describe("hooks are not called for", () => {
  test.each([
    ["a call with bad input", "Test.Echo", { unknown: 1 }, "TOOL_RUNTIME_BAD_INPUT_VALUE"],
    ["a call whose user must still consent", "Test.Other", {}, undefined],
  ])("%s", async (_what, tool, input, kind) => {
    await lettered("pre", "a", 0);
    await lettered("post", "b", 0);

    expect((await execute(stage, tool, input)).kind).toBe(kind);
    expect(stage.project.asked).toEqual([]);
  });

  test("a call that repeats another under its Idempotency-Key", async () => {
    await lettered("pre", "a", 0);
    const { runtime } = stage.deployment;
    const request = { tool_name: "Test.Echo", user_id: "alice" };
    const run = () => runtime.tools.execute(operator(), request, { idempotencyKey: "once" });

    expect((await run()).id).toBe((await run()).id);
    expect(stage.project.asked).toHaveLength(1);
  });
});

test("the access answers of two hooks both apply", async () => {
  stage.project.respond = ({ path }) =>
    path === "access-a"
      ? { deny: { test: { tools: { echo: [] } } } }
      : { only: { Test: { tools: { Echo: [], Look: [{}], Act: [{ version: "9.9.9" }] } } } };
  for (const [letter, priority] of [
    ["a", 0],
    ["b", 1],
  ] as const)
    await plugin({
      points: ["access"],
      priority,
      endpoint: { url: `${stage.project.url}/access-${letter}` },
    });

  const listed = await stage.agent.get("/v1/tools?user_id=alice&limit=100");

  expect(at(listed.body, "total_count")).toBe(1);
  expect(at(listed.body, "items.0.name")).toBe("Look");
  // The second hook only sees the tools that the first one allows.
  expect(stage.project.asked[1]?.text).not.toContain("Echo");
});

test("chains also work with an asynchronous database engine", async () => {
  await using late = await hooked({ parts: { openStore: openLateStore } });
  const one = await late.plugin();
  late.project.respond = ({ path }) => (path === "access" ? {} : { code: "CHECK_FAILED" });

  expect((await execute(late)).kind).toBe("CONTEXT_DENIED");
  const config = { plugin_id: one.id, hook_point: "tool.pre", status: "inactive" };
  expect((await late.admin.patch("/v1/hooks/bulk", { configs: [config] })).status).toBe(200);
  late.project.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  expect((await execute(late)).success).toBe(true);
  expect(late.project.count("pre")).toBe(1);
  const newest = await late.admin.get("/v1/admin/executions?limit=1");
  expect(at(newest.body, "items.0.hooks.1.hook_id")).toBe(one.hooks.post);
});
