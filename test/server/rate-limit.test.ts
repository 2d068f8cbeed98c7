// How often one credential may call: off by default, per credential, and said in time.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "../../src/base";
import { rateLimitOf } from "../../server/rate-limit";
import { api, at } from "../support/api";
import { growthOf } from "../support/growth";
import { MovableClock } from "../tools/deployment";
import { startOwn } from "./own";
import { type Stage, startStage } from "./stage";

// Only tests move the clock, so that no bucket fills on a slow machine.
let now = systemClock.now();
const clock: Clock = { ...systemClock, now: () => now };
const pass = (ms: number) => {
  now += ms;
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ environment: { RUNTIME_HTTP_RATE_LIMIT: "30" }, parts: { clock } });
});
afterAll(() => stage[Symbol.asyncDispose]());

const list = (key: keyof Stage["keys"]) => api(stage.site.url, stage.keys[key]).get("/v1/tools?limit=1");
const statuses = async (key: keyof Stage["keys"], count: number): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => list(key)));
  return answers.map(({ status }) => status);
};

describe("a credential that calls too often", () => {
  test("is 429 with the time to wait, while others go on", async () => {
    expect(new Set(await statuses("run", 30))).toEqual(new Set([200]));

    const refused = await list("run");

    expect([refused.status, at(refused.body, "name")]).toEqual([429, "rate_limited"]);
    expect(at(refused.body, "message")).toContain("http.rate_limit");
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect((await list("admin")).status).toBe(200);
    expect((await list("pinned")).status).toBe(200);
  });

  test("gets through after that time, and not before", async () => {
    pass(1000);
    expect((await list("run")).status).toBe(429);
    pass(1000);
    expect(await statuses("run", 2)).toContain(200);
    expect((await list("run")).status).toBe(429);
  });

  test("has its whole minute again after a minute, and not more", async () => {
    pass(10 * 60_000);
    const counted = await statuses("run", 40);
    expect(counted.filter((status) => status === 200)).toHaveLength(30);
  });

  test("is refused before anything is done", async () => {
    const path = "/v1/admin/secrets/LIMITED";
    const admin = api(stage.site.url, stage.keys.admin);
    await Promise.all(Array.from({ length: 31 }, () => list("admin")));

    expect((await admin.post(path, { value: "v" })).status).toBe(429);
    pass(60_000);
    expect(JSON.stringify((await admin.get("/v1/admin/secrets")).body)).not.toContain("LIMITED");
  });
});

test("what needs no credential is not counted, nor what has a wrong one", async () => {
  for (let count = 0; count < 40; count++) {
    expect((await fetch(`${stage.site.url}/v1/health`)).status).toBe(200);
    expect((await fetch(`${stage.site.url}/v1/tools`, { headers: { authorization: "x" } })).status).toBe(401);
  }
});

// Looked through at each request, many callers of one minute would cost every request time.
test("a request costs the same with many other callers", () => {
  const { settings } = stage.site.runtime.core;
  const grow = (users: number) => () => {
    const limit = rateLimitOf(settings, clock);
    for (let user = 0; user < users; user++)
      limit?.take({ kind: "user", projectId: "default", userId: `user ${user}` });
  };
  // Collecting garbage can hit one of the sizes alone.
  expect(Math.min(...[1, 2, 3].map(() => growthOf(2500, grow)))).toBeLessThan(10);
});

test("a caller does not wait for the time that a clock had been ahead", () => {
  const moved = new MovableClock();
  const limit = rateLimitOf(stage.site.runtime.core.settings, moved);
  const agent = { kind: "user", projectId: "default", userId: "alice" } as const;
  const spend = (): void => {
    for (;;) limit?.take(agent);
  };
  moved.move(3600_000);
  expect(spend).toThrow();
  moved.move(-3600_000);
  expect(spend).toThrow();
  moved.move(60_000);

  expect(() => limit?.take(agent)).not.toThrow();
});

test("nothing is limited unless the operator says so", async () => {
  await using own = await startOwn();
  const agent = api(own.url, await own.key("read"));
  const answers = await Promise.all(Array.from({ length: 200 }, () => agent.get("/v1/tools?limit=1")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});
