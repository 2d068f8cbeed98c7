// The platform refuses the token in the middle of a run. What has been done is not done again.
import { describe, expect, test } from "bun:test";
import { toolContext } from "../catalogs/context";
import { callWithRetries } from "../../catalogs/upstream/retry";
import { GrantDead, type ToolContext, upstreamFailed } from "../../src/tools";
import { RotatingGrants } from "../support/token-endpoint";
import { deploy, type Deployment } from "../tools/deployment";
import { ended, schedule } from "../tools/schedule/scheduling";
import { call, connectionOf } from "./executing";

async function granted(): Promise<Deployment> {
  const deployment = await deploy();
  const grants = new RotatingGrants();
  await deployment.addProvider();
  await deployment.give("alice", { ...grants.issue("alice"), expiresIn: null });
  deployment.idp.otherwise(grants.answer);
  return deployment;
}

const effects = ({ platform }: Deployment) => platform.calls.filter(({ method }) => method === "POST").length;

/** Writes, and then makes a request whose token is refused. */
async function writeThenRead(deployment: Deployment, context: ToolContext): Promise<number> {
  await context.fetch("api", "effects", { method: "POST" });
  context.reportEffect();
  deployment.platform.refuse("access-of-alice-1");
  return (await context.fetch("api", "state")).status;
}

describe("a token that is refused after a write", () => {
  test("is renewed by the tool, which repeats only the refused request", async () => {
    await using deployment = await granted();
    const { runtime, platform, test: catalog } = deployment;
    catalog.act = async (_input, context) => {
      expect(await writeThenRead(deployment, context)).toBe(401);
      expect(await context.renew()).toBe(true);
      return (await context.fetch("api", "state")).status;
    };

    expect((await call(runtime, "alice", "Test.ActFor")).output?.value).toBe(200);
    expect([effects(deployment), catalog.runs]).toEqual([1, 1]);
    expect(platform.tokens()).toEqual(["access-of-alice-1", "access-of-alice-1", "access-of-alice-2"]);
  });

  test("does not run a tool again that does not renew it", async () => {
    await using deployment = await granted();
    const { runtime, test: catalog } = deployment;
    catalog.act = async (_input, context) => {
      await writeThenRead(deployment, context);
      throw new GrantDead("HTTP 401");
    };

    const { output } = await call(runtime, "alice", "Test.ActFor");

    expect([effects(deployment), catalog.runs]).toEqual([1, 1]);
    expect(output?.error).toMatchObject({ can_retry: false, extra: { outcome: "unknown" } });
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
  });

  test("starts no second attempt of a scheduled run if the refresh fails", async () => {
    await using deployment = await granted();
    const { runtime, idp, test: catalog } = deployment;
    idp.queue({ status: 503, body: "down" });
    catalog.act = async (_input, context) => {
      await writeThenRead(deployment, context);
      return context.renew();
    };
    const worker = runtime.tools.startWorker();
    const id = await schedule(runtime, { tool: "Test.ActFor" });

    const run = await ended(runtime, id);
    await worker.stop();

    expect([run.execution_status, run.attempts.length, effects(deployment)]).toEqual(["failed", 1, 1]);
  });
});

test("a failure that may be retried is final after an effect", async () => {
  await using deployment = await granted();
  const { runtime, test: catalog } = deployment;
  catalog.act = async (_input, context) => {
    await context.fetch("api", "effects", { method: "POST" });
    context.reportEffect();
    throw upstreamFailed("The second step failed.");
  };

  const { output } = await call(runtime, "alice", "Test.ActFor");

  expect(output?.error).toMatchObject({ can_retry: false, extra: { outcome: "unknown" } });
});

test("a failure before any effect may be retried", async () => {
  await using deployment = await granted();
  const { runtime, test: catalog } = deployment;
  catalog.act = async () => {
    throw upstreamFailed("The first step failed.");
  };

  expect((await call(runtime, "alice", "Test.ActFor")).output?.error?.can_retry).toBe(true);
});

describe("the calls of catalogs", () => {
  const dead = { error: new GrantDead("401"), retry: "never", maybeDone: false } as const;
  const { cache, memory, now } = toolContext({ bases: {}, token: "" });
  const policy = { changes: true, reportsUnknown: true, waitToRetry: async () => false };

  test("are repeated with a renewed token, once", async () => {
    let sent = 0;
    const context = { cache, memory, now, renew: async () => true, reportEffect: () => undefined };
    const attempt = async () => (sent++ === 0 ? dead : { body: { ok: true } });

    expect(await callWithRetries(context, "post", attempt, policy)).toEqual({ ok: true });
    expect(sent).toBe(2);
    const refused = callWithRetries(context, "post", async () => dead, policy);
    await expect(refused).rejects.toBeInstanceOf(GrantDead);
  });

  test.each([
    ["that was done", { body: {} }, 1],
    ["that may have been done", { ...dead, error: upstreamFailed("502"), maybeDone: true }, 1],
    ["that was refused", { ...dead, error: upstreamFailed("429") }, 0],
  ])("report a write %s", async (_what, outcome, count) => {
    let reports = 0;
    const context = { cache, memory, now, renew: async () => false, reportEffect: () => void reports++ };
    await callWithRetries(context, "post", async () => outcome, policy).catch(() => undefined);
    expect(reports).toBe(count);
  });
});
