// A failed refresh: a temporary failure does not change the grant; a dead grant is marked dead and not tried again.
import { describe, expect, test } from "bun:test";
import { RotatingGrants, type TokenAnswer } from "../support/token-endpoint";
import { agent, deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { call, connectionOf, refusal, requirementOf, until } from "./executing";

const HOUR = 3600_000;
const HTML = "<!DOCTYPE html><html><body>sorry</body></html>";

async function expired(environment: Record<string, string> = {}): Promise<Deployment> {
  const deployment = await deploy({ environment });
  const grants = new RotatingGrants();
  await deployment.addProvider();
  await deployment.give("alice", grants.issue("alice"));
  await deployment.give("bob", { expiresIn: null });
  deployment.idp.otherwise(grants.answer);
  deployment.clock.move(HOUR);
  return deployment;
}

const PASSING: [string, TokenAnswer][] = [
  ["503 with HTML [fault: transient-refusal]", { status: 503, body: HTML, type: "text/html" }],
  ["500 that calls the grant invalid", { status: 500, body: { error: "invalid_grant" } }],
  ["429", { status: 429, body: { error: "rate_limited" } }],
  ["408", { status: 408, body: { error: "timeout" } }],
  ["200 with HTML", { body: HTML, type: "text/html" }],
  ["200 with nothing", { body: "" }],
  ["200 with half of an answer", { body: '{"access_token":"cut', type: "application/json" }],
  ["400 without a code", { status: 400, body: HTML, type: "text/html" }],
  ["400 temporarily_unavailable", { status: 400, body: { error: "temporarily_unavailable" } }],
  ["200 with ratelimited inside", { body: { ok: false, error: "ratelimited" } }],
  ["a reset", { resets: true }],
];

describe("a temporary failure", () => {
  test.each(PASSING)(
    "(%s) can be retried, and the next call refreshes [fault: stuck-refresh]",
    async (_name, answer) => {
      await using deployment = await expired();
      const { runtime, idp, platform } = deployment;
      idp.queue(answer);

      const failed = await call(runtime, "alice");

      expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", can_retry: true });
      expect(platform.calls).toEqual([]);
      expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
      expect((await call(runtime, "alice")).success).toBe(true);
      expect(idp.requests).toHaveLength(2);
    },
  );

  test("(a timeout) can be retried and does not affect other users [fault: stuck-refresh]", async () => {
    await using deployment = await expired({ RUNTIME_EGRESS_TIMEOUT: "1" });
    const { runtime, idp } = deployment;
    idp.queue({ delayMs: 1500, body: { error: "invalid_grant" } });

    const [failed, bob] = await Promise.all([call(runtime, "alice"), call(runtime, "bob")]);

    expect(failed.output?.error).toMatchObject({ can_retry: true });
    expect(bob.success).toBe(true);
    expect((await call(runtime, "alice")).success).toBe(true);
  });

  test("(a lost answer) keeps the grant; only the next refusal marks it dead [fault: transient-refusal]", async () => {
    await using deployment = await expired();
    const { runtime, idp } = deployment;
    const rotated = new RotatingGrants();
    idp.queue((request) => ({ ...rotated.answer(request), resets: true }), {
      status: 400,
      body: { error: "invalid_grant" },
    });

    expect((await call(runtime, "alice")).output?.error).toMatchObject({ can_retry: true });
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
  });

  test.each(["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_request"])(
    "a client that is refused (%s) leaves the grant alone; trying again is the caller's choice, not advice",
    async (error) => {
      await using deployment = await expired();
      const { runtime, idp } = deployment;
      idp.queue({ status: 401, body: { error } });

      expect((await call(runtime, "alice")).output?.error).toMatchObject({ can_retry: false });
      expect((await call(runtime, "alice")).success).toBe(true);
    },
  );
});

describe("a grant that ends during a failed refresh before its expiry", () => {
  /** Alice's call. Its refresh fails after `meanwhile` has run. */
  async function during(meanwhile: (deployment: Deployment, id: string) => Promise<unknown>) {
    const deployment = await deploy();
    const { runtime, idp, clock, platform } = deployment;
    await deployment.addProvider();
    const id = await deployment.give("alice", { access: "earlier" });
    clock.move(56 * 60_000);
    const ended = Promise.withResolvers<void>();
    idp.queue(async () => {
      await ended.promise;
      return { status: 503, body: "down" };
    });
    await call(runtime, "alice");
    await until(() => idp.requests.length === 1);
    await meanwhile(deployment, id);
    ended.resolve();
    const answer = await call(runtime, "alice").catch((error: Error) => error);
    return { deployment, answer, tokens: platform.tokens() };
  }

  test("by deletion is not used any more", async () => {
    const { deployment, answer, tokens } = await during(({ runtime }, id) =>
      runtime.connections.delete(operator(), id),
    );
    await using _ = deployment;

    expect(answer).toMatchObject({ status: 403 });
    expect(tokens).toEqual(["earlier"]);
  });

  test("by another consent is replaced by that one", async () => {
    const { deployment, answer, tokens } = await during((site) => site.give("alice", { access: "later" }));
    await using _ = deployment;

    expect(answer).toMatchObject({ success: true });
    expect(tokens).toEqual(["earlier", "later"]);
  });
});

const FINAL: [string, TokenAnswer][] = [
  ["400 invalid_grant", { status: 400, body: { error: "invalid_grant" } }],
  ["200 with invalid_refresh_token inside", { body: { ok: false, error: "invalid_refresh_token" } }],
  ["200 with token_revoked inside", { body: { ok: false, error: "token_revoked" } }],
  ["a form-encoded invalid_grant", { status: 400, body: "error=invalid_grant&error_description=gone" }],
];

describe("a dead grant", () => {
  test.each(FINAL)(
    "%s needs consent again, says why, and is not tried again [fault: transient-refusal]",
    async (_name, answer) => {
      await using deployment = await expired();
      const { runtime, idp, platform } = deployment;
      idp.queue(answer);

      const refusals = [await refusal(call(runtime, "alice")), await refusal(call(runtime, "alice"))];

      for (const { status, message } of refusals) {
        expect(status).toBe(403);
        expect(message).toContain("authorization required");
        expect(message).toContain("the provider no longer accepts the grant");
      }
      expect(idp.requests).toHaveLength(1);
      expect(platform.calls).toEqual([]);
    },
  );

  test("is an unmet requirement with the reason, and an expired connection", async () => {
    await using deployment = await expired();
    const { runtime, idp } = deployment;
    idp.queue({ status: 400, body: { error: "invalid_grant" } });
    await refusal(call(runtime, "alice"));

    expect(await requirementOf(runtime, "alice")).toMatchObject({
      met: false,
      oauth2: { scopes: ["a", "b"] },
      token_status: "failed",
      status_reason: "the provider no longer accepts the grant; the user must consent again",
    });
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "expired" });
    const started = await runtime.tools.authorize(agent(), { tool_name: "Test.Call", user_id: "alice" });
    expect(started.status).toBe("pending");
  });
});

describe("a query before the call notices an expired token", () => {
  const ask = ({ runtime }: Deployment) =>
    runtime.tools.authorize(agent(), { tool_name: "Test.Call", user_id: "alice" });
  const look = async ({ runtime }: Deployment) => {
    const { id } = (await connectionOf(runtime, "alice")) ?? { id: "none" };
    return runtime.authorization.status(agent(), id);
  };

  test.each([
    ["status", look],
    ["authorize", ask],
  ])("%s: it is refreshed, once", async (_name, way) => {
    await using deployment = await expired();

    expect((await way(deployment)).status).toBe("completed");
    expect((await way(deployment)).status).toBe("completed");
    expect((await call(deployment.runtime, "alice")).success).toBe(true);
    expect(deployment.idp.requests).toHaveLength(1);
  });

  test.each([
    ["status", look, { status: "failed", status_reason: expect.stringContaining("consent again") }],
    ["authorize", ask, { status: "pending", url: expect.any(String) }],
  ] as const)("%s: a grant that the provider refuses is not called good", async (_name, way, expected) => {
    await using deployment = await expired();
    deployment.idp.queue({ status: 400, body: { error: "invalid_grant" } });

    expect(await way(deployment)).toMatchObject(expected);
    expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ connection_status: "expired" });
    expect((await ask(deployment)).status).toBe("pending");
    expect(deployment.idp.requests).toHaveLength(1);
  });

  test.each([
    ["status", look],
    ["authorize", ask],
  ])("%s: a provider that is down does not change the grant", async (_name, way) => {
    await using deployment = await expired();
    deployment.idp.queue({ status: 503, body: HTML, type: "text/html" });

    expect((await way(deployment)).status).toBe("completed");
    expect((await call(deployment.runtime, "alice")).success).toBe(true);
  });

  test.each([
    ["status", look],
    ["authorize", ask],
  ])("%s: a valid token is not refreshed", async (_name, way) => {
    await using deployment = await expired();
    expect((await call(deployment.runtime, "alice")).success).toBe(true);
    deployment.clock.move(HOUR - 60_000);

    expect((await way(deployment)).status).toBe("completed");
    expect(deployment.idp.requests).toHaveLength(1);
  });
});

describe("a token without refresh", () => {
  test("is not used after its expiry [fault: expired-token]", async () => {
    await using deployment = await deploy();
    const { runtime, clock, platform } = deployment;
    await deployment.addProvider();
    await deployment.give("alice", { refresh: null, expiresIn: 1 });
    clock.move(2000);

    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: false, token_status: "failed" });
    const refused = await refusal(call(runtime, "alice"));
    expect([refused.status, refused.message]).toEqual([
      403,
      expect.stringContaining("the grant has expired and cannot be renewed"),
    ]);
    expect(platform.calls).toEqual([]);
  });

  test("is used until then", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { refresh: null });
    deployment.clock.move(HOUR - 5000);

    expect((await call(deployment.runtime, "alice")).success).toBe(true);
  });

  test("is the same if there is a refresh token but no refresh_request", async () => {
    await using deployment = await deploy();
    const { runtime, idp, clock } = deployment;
    const { refresh_request: _, ...oauth2 } = idpRecord(idp).oauth2;
    await deployment.addProvider({ oauth2 });
    await deployment.give("alice");
    clock.move(HOUR);

    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: false });
    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(idp.requests).toEqual([]);
  });

  test("of unknown lifetime is used as long as the platform accepts it", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { expiresIn: null });
    deployment.clock.move(1000 * HOUR);

    expect((await call(deployment.runtime, "alice")).success).toBe(true);
    expect(deployment.idp.requests).toEqual([]);
  });
});
