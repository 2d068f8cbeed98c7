// Every point, phase and failure mode with every behaviour of a webhook: the answer to the caller, and what happened on
// the platform. The hook under test belongs to the organization. The project has a hook that always answers OK, so
// that the phase is visible.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at } from "../support/api";
import { operator } from "../tools/deployment";
import { execute, type Hooked, hooked, type Made, type Point } from "./hooked";
import { FAULTS, type Respond } from "./webhook-peer";

let stage: Hooked;
let made: Made;
beforeAll(async () => {
  stage = await hooked();
  await stage.plugin();
  made = await stage.plugin({ peer: stage.organization, binding: "tenant" });
});
afterAll(() => stage[Symbol.asyncDispose]());

type Effect = "runs" | "is hidden" | "is denied" | "may come later" | "is changed" | "is stopped";

const POLICY = "Tool execution was denied by an extension policy: not on Fridays";
const REFUSAL = { error_message: "not on Fridays" };
const callTool = { Test: { tools: { Call: [{ version: "1.2.3" }] } } };
const echoTool = { Test: { tools: { Echo: [] } } };

/** The behaviour of the webhook at each point. */
const BEHAVIOURS: Readonly<Record<string, Readonly<Record<Point, Respond>>>> = {
  ok: { access: () => ({}), pre: () => ({ code: "OK" }), post: () => ({ code: "OK" }) },
  deny: {
    access: () => ({ deny: callTool }),
    pre: () => ({ code: "CHECK_FAILED", ...REFUSAL }),
    post: () => ({ code: "CHECK_FAILED", ...REFUSAL }),
  },
  "rate limit": {
    // Access answers have no code, so any code other than OK is invalid.
    access: () => ({ code: "RATE_LIMIT_EXCEEDED" }),
    pre: () => ({ code: "RATE_LIMIT_EXCEEDED", ...REFUSAL }),
    post: () => ({ code: "RATE_LIMIT_EXCEEDED", ...REFUSAL }),
  },
  override: {
    access: () => ({ only: echoTool, deny: {} }),
    pre: () => ({ code: "OK", override: { inputs: { path: "changed" } } }),
    post: () => ({ code: "OK", override: { output: { replaced: true } } }),
  },
};
for (const [name, fault] of Object.entries(FAULTS)) {
  Object.assign(BEHAVIOURS, { [name]: { access: fault, pre: fault, post: fault } });
}

/** For each behaviour the effect at access, pre and post; closed / open if the failure mode matters. */
const TABLE: Readonly<Record<string, Readonly<Record<Point, Effect | [closed: Effect, open: Effect]>>>> = {
  ok: { access: "runs", pre: "runs", post: "runs" },
  deny: { access: "is hidden", pre: "is denied", post: "is denied" },
  "rate limit": { access: ["is stopped", "runs"], pre: "may come later", post: "may come later" },
  override: { access: "is hidden", pre: "is changed", post: "is changed" },
  timeout: fails(),
  "4xx": fails(),
  "5xx": fails(),
  reset: fails(),
  HTML: fails(),
  huge: fails(),
  redirect: fails(),
};

function fails(): Record<Point, [Effect, Effect]> {
  return {
    access: ["is stopped", "runs"],
    pre: ["is stopped", "runs"],
    post: ["is stopped", "runs"],
  };
}

const rows = Object.keys(TABLE).flatMap((behaviour) =>
  (["access", "pre", "post"] as const).flatMap((point) =>
    (["before", "after"] as const).flatMap((phase) =>
      (["fail_closed", "fail_open"] as const).map((mode) => {
        const cell = TABLE[behaviour]?.[point] ?? "runs";
        const effect = typeof cell === "string" ? cell : cell[mode === "fail_closed" ? 0 : 1];
        return [behaviour, point, phase, mode, effect] as const;
      }),
    ),
  ),
);

test("the table is complete", () => {
  expect(rows).toHaveLength(11 * 3 * 2 * 2);
});

describe.each(rows)("%s at %s, %s the project's, %s:", (behaviour, point, phase, failure_mode, effect) => {
  test(`the call ${effect}`, async () => {
    await only(point, behaviour, { phase, failure_mode });
    stage.organization.respond = BEHAVIOURS[behaviour]?.[point] ?? (() => undefined);
    stage.project.asked.length = 0;

    const got = await execute(stage);

    expectEffect(effect, point, got);
    expect(stage.platformCalls()).toBe(point === "post" || ["runs", "is changed"].includes(effect) ? 1 : 0);
    const goesOn = ["runs", "is changed"].includes(effect);
    const others = goesOn || phase === "after" ? 1 : 0;
    // If an access answer hides the tool, no later hook is called.
    expect(stage.project.count(point)).toBe(others);
    expect(got.answer.text).not.toContain("elsewhere");
    expect(got.answer.text).not.toContain(stage.organization.url);
  });
});

describe.each(["fail_closed", "fail_open"] as const)("listings, %s:", (failure_mode) => {
  test.each(Object.keys(TABLE))("%s", async (behaviour) => {
    await only("access", behaviour, { phase: "before", failure_mode });
    stage.organization.respond = BEHAVIOURS[behaviour]?.access ?? (() => undefined);
    const cell = TABLE[behaviour]?.access ?? "runs";
    const effect = typeof cell === "string" ? cell : cell[failure_mode === "fail_closed" ? 0 : 1];
    const seen = effect === "runs";

    const list = await stage.agent.get("/v1/tools?user_id=alice&limit=100");
    const formatted = await stage.agent.get("/v1/formatted_tools?user_id=alice&limit=100");
    const named = { tool_names: ["Test.Call"], user_id: "alice" };
    const asked = {
      list: list.text.includes('"Test.Call"'),
      formatted: formatted.text.includes('"Test_Call"'),
      get: (await stage.agent.get("/v1/tools/Test.Call?user_id=alice")).status,
      "formatted get": (await stage.agent.get("/v1/formatted_tools/Test.Call?user_id=alice")).status,
      requirements: (await stage.agent.post("/v1/tools/requirements", named)).status,
      authorize: (await stage.agent.post("/v1/tools/authorize", { tool_name: "Test.Call", user_id: "alice" }))
        .status,
    };

    // Lists are empty; for a request that names a tool, the tool may exist.
    const status = seen ? 200 : effect === "is stopped" ? 500 : 400;
    expect(asked).toEqual({
      list: seen,
      formatted: seen,
      get: status,
      "formatted get": status,
      requirements: status,
      authorize: status,
    });
    if (effect === "is stopped") expect(at(list.body, "total_count")).toBe(0);
    // Without a user, tools are not hidden.
    expect((await stage.agent.get("/v1/tools?limit=100")).text).toContain('"Test.Call"');
  });
});

type Got = Awaited<ReturnType<typeof execute>>;

function expectEffect(effect: Effect, point: Point, got: Got): void {
  const plain = { status: 200, success: false };
  if (effect === "runs")
    return expect(got).toMatchObject({ status: 200, success: true, value: { status: 200 } });
  if (effect === "is hidden")
    return expect(got).toMatchObject({ status: 400, name: "tool_not_found", success: undefined });
  if (effect === "is changed") {
    const value = point === "post" ? { replaced: true } : { status: 200 };
    expect(got).toMatchObject({ status: 200, success: true, value });
    const called = stage.deployment.platform.calls.at(-1)?.address;
    return expect(called).toBe(point === "pre" ? "/api/changed" : "/api/me");
  }
  if (effect === "is stopped") {
    expect(got).toMatchObject({ ...plain, kind: "CONTEXT_CHECK_FAILED", canRetry: true });
    return expect(got.message).toContain("policy could not be checked");
  }
  const canRetry = effect === "may come later";
  expect(got).toMatchObject({ ...plain, kind: "CONTEXT_DENIED", canRetry, message: POLICY });
  expect(got.value).toBeUndefined();
  expect(at(got.answer.body, "output.error.developer_message")).toBe("not on Fridays");
}

/** Deactivates the hooks of the organization except the one at this point. */
async function only(
  point: Point,
  behaviour: string,
  changes: { phase: "before" | "after"; failure_mode: "fail_closed" | "fail_open" },
): Promise<void> {
  const { hooks } = stage.deployment.runtime;
  // Short only if no answer comes: a busy machine must not look like a webhook that does not answer.
  const timeout_ms = behaviour === "timeout" ? 100 : 10_000;
  for (const [name, id] of Object.entries(made.hooks)) {
    const patch = name === point ? { ...changes, timeout_ms, status: "active" as const } : INACTIVE;
    await hooks.update(operator(), id, patch);
  }
}

const INACTIVE = { status: "inactive" } as const;
