// The health checks of plugins, and testing a plugin.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { at } from "../support/api";
import { operator } from "../tools/deployment";
import { type Hooked, hooked } from "./hooked";
import { FAULTS, json, type Respond } from "./webhook-peer";

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.project.asked.length = 0;
});

const health = () => stage.deployment.runtime.pluginHealth;
let priority = 0;
const plugin = (webhook: object, more: object = {}) =>
  stage.plugin({ points: ["pre"], webhook, priority: ++priority, more });
const statusOf = async (id: string) =>
  (await stage.deployment.runtime.plugins.get(operator(), id)).health_status;

describe("a webhook server that answers", () => {
  const says =
    (status: number, value: unknown): Respond =>
    (_asked, response) =>
      json(response, status, value);

  test.each([
    ["200 healthy", says(200, { status: "healthy" }), "healthy"],
    ["200 degraded", says(200, { status: "degraded" }), "degraded"],
    ["503 degraded", says(503, { status: "degraded" }), "degraded"],
    ["503 unhealthy", says(503, { status: "unhealthy" }), "unhealthy"],
    ["503 healthy", says(503, { status: "healthy" }), "unhealthy"],
    ["200 and another word", says(200, { status: "fine" }), "unhealthy"],
    ["404", says(404, { status: "healthy" }), "unhealthy"],
    ["with HTML", FAULTS["HTML"], "unhealthy"],
    ["with a redirect", FAULTS["redirect"], "unhealthy"],
    ["by hanging up", FAULTS["reset"], "unhealthy"],
  ])("%s is %s", async (_what, respond, expected) => {
    const { id } = await plugin({ health_check_path: "/health" });
    stage.project.respond = respond ?? (() => undefined);
    expect(await statusOf(id)).toBe("unknown");

    await health().poll();

    expect(await statusOf(id)).toBe(expected as "healthy");
    expect(stage.project.asked.find(({ path }) => path === "health")?.method).toBe("GET");
    await stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" });
  });
});

test("plugins that are inactive or have no health check are not polled", async () => {
  const silent = await plugin({});
  const inactive = await plugin({ health_check_path: "/health" }, { status: "inactive" });
  await health().poll();
  expect(stage.project.asked).toEqual([]);
  expect([await statusOf(silent.id), await statusOf(inactive.id)]).toEqual(["unknown", "unknown"]);
});

test("credentials are only sent to the server of the webhook", async () => {
  stage.project.respond = stage.organization.respond = (_asked, response) =>
    json(response, 200, { status: "healthy" });
  const auth = { type: "bearer", token: "the-token" };
  const own = await plugin({ health_check_path: "/health", auth });
  const elsewhere = await plugin({ health_check_path: `${stage.organization.url}/health`, auth });

  await health().poll();

  expect(stage.project.asked.map(({ headers }) => headers["authorization"])).toEqual(["Bearer the-token"]);
  expect(stage.organization.asked.map(({ headers }) => headers["authorization"])).toEqual([undefined]);
  for (const { id } of [own, elsewhere])
    await stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" });
});

test("polls every minute until it is stopped", async () => {
  const sleeps: { ms: number; signal: AbortSignal | undefined }[] = [];
  const { core } = stage.deployment.runtime;
  const { sleep } = core.clock;
  const { id } = await plugin({ health_check_path: "/health" });
  // The clock of this test does not wait.
  core.clock.sleep = (ms, signal) => {
    sleeps.push({ ms, signal });
    if (ms === 60_000) stage.deployment.clock.move(ms);
    return sleep(1, signal);
  };
  const stopped = Promise.withResolvers<void>();
  let polls = 0;
  try {
    const stop = health().start();
    stage.project.respond = (_asked, response) => {
      // It is stopped during a poll, so that nothing else goes on at that time.
      if (++polls === 3) stopped.resolve(stop());
      json(response, 200, { status: "healthy" });
    };
    await stopped.promise;
    await Bun.sleep(20);
    expect(polls).toBe(3);
    // Other workers of the deployment use the same clock, and only these polls have been stopped.
    const own = sleeps.filter(({ signal }) => signal?.aborted === true);
    expect(own.map(({ ms }) => ms)).toEqual([60_000, 60_000, 60_000]);
  } finally {
    core.clock.sleep = sleep;
    await stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" });
  }
});

describe("testing a plugin", () => {
  const attempt = async (id: string) => (await stage.admin.post(`/v1/plugins/${id}/test`)).body;

  test("calls each webhook once with a sample, runs no tool, and returns the decisions", async () => {
    const { id } = await stage.plugin({ priority: 700, more: { status: "inactive" } });
    const runs = stage.deployment.test.runs;
    stage.project.respond = ({ path }) =>
      path === "access"
        ? { deny: { Test: { tools: { Act: [] } } } }
        : path === "pre"
          ? { code: "RATE_LIMIT_EXCEEDED" }
          : { code: "OK", override: { output: 1 } };

    const trial = await attempt(id);

    expect(trial).toMatchObject({ plugin_id: id, tool: "Test.Act", ok: true });
    expect(at(trial, "results.0")).toMatchObject({
      hook_point: "tool.access",
      decision: "denied",
      answer: { deny: { Test: { tools: { Act: [] } } } },
    });
    expect([at(trial, "results.1.decision"), at(trial, "results.2.decision")]).toEqual([
      "rate_limited",
      "override",
    ]);
    expect(stage.project.asked.map(({ path }) => path)).toEqual(["access", "pre", "post"]);
    expect(stage.deployment.test.runs).toBe(runs);
  });

  test("returns why there is no usable answer", async () => {
    const { id } = await plugin({}, { status: "inactive" });
    stage.project.respond = () => ({ code: "maybe" });
    expect(await attempt(id)).toMatchObject({
      ok: false,
      results: [
        { decision: "failed", answer: { code: "maybe" }, reason: expect.stringContaining("code is not OK") },
      ],
    });
    stage.project.respond = FAULTS["reset"] ?? (() => undefined);
    expect(await attempt(id)).toMatchObject({
      ok: false,
      results: [{ decision: "failed", reason: "unreachable" }],
    });
  });

  test("of an unknown plugin is 404", async () => {
    expect((await stage.admin.post("/v1/plugins/pl_unknown/test")).status).toBe(404);
  });
});
