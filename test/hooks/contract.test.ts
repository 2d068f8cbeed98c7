// The exact requests to webhooks, and how webhooks can verify them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { Webhook } from "standardwebhooks";
import { operator } from "../tools/deployment";
import { execute, type Hooked, hooked } from "./hooked";
import { FAULTS, json } from "./webhook-peer";

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.project.asked.length = 0;
  stage.project.respond = () => ({ code: "OK" });
});

const SIGNING = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;

/** A separate plugin, the only one of the project; removed at the end. */
async function withPlugin(
  options: Parameters<Hooked["plugin"]>[0],
  work: () => Promise<void>,
): Promise<void> {
  const { plugins, hooks } = stage.deployment.runtime;
  const made = await stage.plugin(options);
  try {
    await work();
  } finally {
    for (const id of Object.values(made.hooks)) await hooks.delete(operator(), id);
    await plugins.delete(operator(), made.id);
  }
}

test("the three requests for one call", async () => {
  await withPlugin({}, async () => {
    // A JWT access token: its claims are sent, the token is not.
    const claims = { sub: "u1", scope: "a b", iss: "https://idp.example", id: "12345678901234567891" };
    // A number with that many digits becomes a string.
    const text = JSON.stringify(claims).replace(`"${claims.id}"`, claims.id);
    const token = `e30.${Buffer.from(text).toString("base64url")}.SIGNATURE`;
    await stage.deployment.give("alice", { access: token });
    const { answer } = await execute(stage, "Test.Call", { path: "here" });
    const [access, pre, post] = stage.project.asked;
    const { id, execution_id } = answer.body as { id: string; execution_id: string };
    const metadata = {
      behavior: {
        operations: ["read"],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: true,
      },
    };
    const call = {
      execution_id,
      tool: { name: "Call", toolkit: "Test", version: "1.2.3", metadata },
      inputs: { path: "here" },
      context: {
        authorization: [{ provider_id: "idp", oauth2: { scopes: ["a", "b"], at: claims } }],
        secrets: [],
        metadata: {},
        user_id: "alice",
      },
    };

    expect(id).toMatch(/^te_/);
    expect(access?.body).toEqual({
      user_id: "alice",
      toolkits: {
        Test: {
          tools: {
            Call: [
              {
                version: "1.2.3",
                requirements: {
                  authorization: [
                    { provider_id: "idp", provider_type: "oauth2", oauth2: { scopes: ["a", "b"] } },
                  ],
                  secrets: [],
                },
                metadata,
              },
            ],
          },
        },
      },
    });
    expect(pre?.body).toEqual(call);
    expect(post?.body).toEqual({
      ...call,
      success: true,
      output: { status: 200, body: '{"ok":true}' },
      execution_code: "OK",
    });
    for (const asked of stage.project.asked) {
      expect(asked.method).toBe("POST");
      expect(asked.headers["content-type"]).toBe("application/json");
      expect(JSON.stringify(asked)).not.toContain("SIGNATURE");
      expect(Object.keys(asked.headers).filter((name) => name.startsWith("webhook-"))).toEqual([]);
    }
    await stage.deployment.give("alice");
  });
});

test("secrets are named, not sent", async () => {
  const { runtime, platform } = stage.deployment;
  await runtime.secrets.upsert(operator(), "TEST_ADDRESS", { value: platform.url });
  await runtime.secrets.upsert(operator(), "TEST_WORD", { value: "CANARY-SECRET" });
  await withPlugin({ points: ["pre"] }, async () => {
    await execute(stage, "Test.Elsewhere");

    expect(stage.project.asked[0]?.body["context"]).toMatchObject({ secrets: ["TEST_ADDRESS", "TEST_WORD"] });
    expect(stage.project.asked[0]?.text).not.toContain("CANARY-SECRET");
  });
});

describe("a request is", () => {
  test("authenticated with the token", async () => {
    const auth = { type: "bearer", token: "the-token" };
    await withPlugin({ points: ["pre"], webhook: { auth } }, async () => {
      await execute(stage, "Test.Echo");
      expect(stage.project.asked[0]?.headers["authorization"]).toBe("Bearer the-token");
    });
  });

  test("signed, so that the public library accepts it and rejects a modified one", async () => {
    await withPlugin({ webhook: { signing_secret: SIGNING } }, async () => {
      await execute(stage, "Test.Echo", { text: "grün 🌱" });
      const receiver = new Webhook(SIGNING);
      expect(stage.project.asked).toHaveLength(3);
      for (const { text, headers } of stage.project.asked) {
        expect(receiver.verify(text, headers)).toEqual(JSON.parse(text));
        expect(() => receiver.verify(text.replace("alice", "mallory"), headers)).toThrow();
        expect(() => receiver.verify(text, { ...headers, "webhook-id": "msg_other" })).toThrow();
        expect(() => new Webhook(SIGNING.replace("MDEy", "MDEz")).verify(text, headers)).toThrow();
      }
      const ids = stage.project.asked.map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).toBe(3);
    });
  });
});

describe("a retry", () => {
  const retry = { enabled: true, max_attempts: 3, backoff: "fixed" as const, base_delay_ms: 10 };

  /** Fails at first, then answers OK. */
  const failing = (fault: string, times: number): void => {
    stage.project.respond = (asked, response, request) =>
      stage.project.asked.length <= times ? FAULTS[fault]?.(asked, response, request) : { code: "OK" };
  };

  test.each(["5xx", "reset", "timeout"])("follows %s, with the same message id", async (fault) => {
    failing(fault, 1);
    const webhook = { signing_secret: SIGNING };
    await withPlugin({ points: ["pre"], timeout_ms: 3000, webhook, more: { retry } }, async () => {
      expect((await execute(stage, "Test.Echo")).success).toBe(true);
      const ids = stage.project.asked.map(({ headers }) => headers["webhook-id"]);
      expect(ids).toHaveLength(2);
      expect(ids[0]).toBe(ids[1] ?? "none");
    });
  });

  test.each(["4xx", "HTML", "redirect", "huge"])("does not follow %s", async (fault) => {
    failing(fault, 1);
    await withPlugin({ points: ["pre"], timeout_ms: 10_000, more: { retry } }, async () => {
      expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_CHECK_FAILED");
      expect(stage.project.asked).toHaveLength(1);
    });
  });

  test("happens only if the plugin enables it, and as often as configured", async () => {
    failing("5xx", 99);
    await withPlugin({ points: ["pre"], timeout_ms: 10_000 }, async () => {
      await execute(stage, "Test.Echo");
      expect(stage.project.asked).toHaveLength(1);
    });
    stage.project.asked.length = 0;
    await withPlugin({ points: ["pre"], timeout_ms: 10_000, more: { retry } }, async () => {
      await execute(stage, "Test.Echo");
      expect(stage.project.asked).toHaveLength(3);
    });
    stage.project.asked.length = 0;
    const once = { ...retry, retry_on: ["timeout" as const] };
    await withPlugin({ points: ["pre"], timeout_ms: 10_000, more: { retry: once } }, async () => {
      await execute(stage, "Test.Echo");
      expect(stage.project.asked).toHaveLength(1);
    });
  });

  test("the timeout of the hook covers all attempts", async () => {
    stage.project.respond = FAULTS["timeout"] ?? (() => undefined);
    await withPlugin({ points: ["pre"], timeout_ms: 300, more: { retry } }, async () => {
      expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_CHECK_FAILED");
      expect(stage.project.asked.length).toBeLessThanOrEqual(3);
    });
  });

  test("no attempt starts after the timeout of the hook", async () => {
    failing("5xx", 99);
    const slow = { ...retry, max_attempts: 10, base_delay_ms: 200 };
    await withPlugin({ points: ["pre"], timeout_ms: 500, more: { retry: slow } }, async () => {
      expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_CHECK_FAILED");
      // At 0, 200 and 400 ms.
      expect(stage.project.asked.length).toBeWithin(1, 4);
    });
  });
});

describe("access answers", () => {
  const caching = { cache_enabled: true, cache_ttl_ms: 60_000 };
  const list = (user = "alice") => stage.agent.get(`/v1/tools?user_id=${user}&limit=100`);

  test("are cached per user and set of tools, for the time that the endpoint sets", async () => {
    stage.project.respond = () => ({ deny: { Test: { tools: { Echo: [] } } } });
    await withPlugin({ points: ["access"], endpoint: caching }, async () => {
      for (const user of ["alice", "alice", "bob", "alice", "bob"])
        expect((await list(user)).text).not.toContain('"Test.Echo"');
      expect(stage.project.asked).toHaveLength(2);
      await execute(stage, "Test.Look");
      await execute(stage, "Test.Look");
      expect(stage.project.asked).toHaveLength(3);
      stage.deployment.clock.move(60_001);
      await list();
      expect(stage.project.asked).toHaveLength(4);
    });
  });

  test("are cached as the allowed tools, regardless of their size", async () => {
    const names = Array.from({ length: 25_000 }, (_, index) => [`Unknown${index}`, []]);
    const answer = { deny: { Test: { tools: { ...Object.fromEntries(names), Echo: [] } } } };
    stage.project.respond = (_asked, response) => json(response, 200, answer);
    const used = (): number => {
      Bun.gc(true);
      return heapStats().heapSize;
    };
    await withPlugin({ points: ["access"], endpoint: caching }, async () => {
      await list("first");
      const before = used();
      for (let user = 0; user < 12; user++)
        expect((await list(`user ${user}`)).text).not.toContain('"Test.Echo"');
      expect(used() - before).toBeLessThan(10_000_000);
    });
  });

  test("are requested again if a hook or plugin changes", async () => {
    await withPlugin({ points: ["access"], endpoint: caching }, async () => {
      await list();
      await withPlugin({ points: ["pre"], priority: 3 }, list as () => Promise<never>);
      await list();
      expect(stage.project.asked.map(({ path }) => path)).toEqual(["access", "access", "access"]);
    });
  });

  test("apply to a user token, which always acts for its own user", async () => {
    stage.project.respond = () => ({ deny: { Test: { tools: { Echo: [] } } } });
    const { tools } = stage.deployment.runtime;
    const alice = { kind: "user", projectId: "default", userId: "alice" } as const;
    await withPlugin({ points: ["access"] }, async () => {
      const { items } = await tools.listings.list(alice, { limit: 100 });
      expect(items.map(({ name }) => name)).not.toContain("Echo");
      const text = JSON.stringify(await tools.listings.formattedListing(alice, { limit: 100 }));
      expect(text).not.toContain("Test_Echo");
      expect(stage.project.asked.map(({ body }) => body["user_id"])).toEqual(["alice", "alice"]);
    });
  });

  test("are not cached if they failed, or if caching is disabled", async () => {
    stage.project.respond = (_asked, response) => json(response, 500, {});
    await withPlugin({ points: ["access"], endpoint: caching }, async () => {
      await list();
      await list();
      expect(stage.project.asked).toHaveLength(2);
    });
    stage.project.respond = () => ({});
    await withPlugin({ points: ["access"] }, async () => {
      await list();
      await list();
      expect(stage.project.asked).toHaveLength(4);
    });
  });

  test.each([
    ["no object", []],
    ["a text", "yes"],
    ["only that is a list", { only: [] }],
    ["a toolkit without tools", { deny: { Test: {} } }],
    ["versions that are not a list", { deny: { Test: { tools: { Echo: {} } } } }],
    ["an entry that is none", { deny: { Test: { tools: { Echo: ["1.2.3"] } } } }],
    ["an invalid version", { deny: { Test: { tools: { Echo: [{ version: 1 }] } } } }],
    ["a code that says no", { code: "CHECK_FAILED" }],
  ])("with %s are not valid", async (_what, answer) => {
    stage.project.respond = (_asked, response) => json(response, 200, answer);
    await withPlugin({ points: ["access"] }, async () => {
      expect((await list()).body).toMatchObject({ items: [], total_count: 0 });
      expect((await execute(stage, "Test.Echo")).kind).toBe("CONTEXT_CHECK_FAILED");
    });
  });

  test.each([
    ["neither", {}, true],
    ["null", { only: null, deny: null }, true],
    ["only nothing", { only: {} }, false],
    ["only it", { only: { Test: { tools: { Echo: [] } } } }, true],
    [
      "only it, and denied too",
      { only: { Test: { tools: { Echo: [] } } }, deny: { Test: { tools: { Echo: [] } } } },
      true,
    ],
    ["only another version", { only: { Test: { tools: { Echo: [{ version: "1.0.0" }] } } } }, false],
    ["another version denied", { deny: { Test: { tools: { Echo: [{ version: "1.0.0" }] } } } }, true],
    ["its version denied", { deny: { Test: { tools: { Echo: [{ version: "1.2.3" }] } } } }, false],
    ["denied with other letters", { deny: { TEST: { tools: { eCHO: [{}] } } } }, false],
    ["another tool denied", { deny: { Test: { tools: { Look: [] } } } }, true],
  ])("with %s allow or hide the tool", async (_what, answer, left) => {
    stage.project.respond = (_asked, response) => json(response, 200, answer);
    await withPlugin({ points: ["access"] }, async () => {
      expect((await list()).text.includes('"Test.Echo"')).toBe(left);
    });
  });
});

describe("pre and post answers", () => {
  test.each([
    ["no object", []],
    ["no code", {}],
    ["an unknown code", { code: "ok" }],
    ["a message that is not a string", { code: "OK", error_message: 1 }],
    ["an override that is not an object", { code: "OK", override: [] }],
    ["inputs that are not an object", { code: "OK", override: { inputs: "x" } }],
    ["secrets that are not a list", { code: "OK", override: { secrets: { A: "b" } } }],
    ["a secret of two keys", { code: "OK", override: { secrets: [{ A: "b", C: "d" }] } }],
    ["a secret that is not a string", { code: "OK", override: { secrets: [{ A: 1 }] } }],
    ["an override of input", { code: "OK", override: { input: { text: "x" } } }],
    ["an override with another field", { code: "OK", override: { inputs: {}, note: 1 } }],
    ["an output before the run", { code: "OK", override: { output: 1 } }],
    ["a mistyped override", { code: "OK", overide: { inputs: {} } }],
    ["an override in another case", { code: "OK", Override: { inputs: {} } }],
    ["a mistyped message", { code: "OK", error_mesage: "x" }],
  ])("with %s are not valid", async (_what, answer) => {
    stage.project.respond = (_asked, response) => json(response, 200, answer);
    const runs = stage.deployment.test.runs;
    await withPlugin({ points: ["pre"] }, async () => {
      expect((await execute(stage, "Test.Act")).kind).toBe("CONTEXT_CHECK_FAILED");
      expect(stage.deployment.test.runs).toBe(runs);
    });
  });
});

describe("fields that are not known", () => {
  test("are ignored, and logged once", async () => {
    stage.project.respond = () => ({ code: "OK", trace_id: "CANARY", "bad name": 1, note: null });
    await withPlugin({ points: ["pre"] }, async () => {
      const from = stage.deployment.logLines.length;
      for (const _ of [1, 2, 3])
        expect((await execute(stage, "Test.Echo", { text: "x" })).kind).toBeUndefined();
      const logged = stage.deployment.logLines.slice(from).filter((line) => line.includes("unknown fields"));
      expect(logged).toHaveLength(1);
      expect(JSON.parse(logged[0] ?? "")).toMatchObject({ fields: ["trace_id", "(another name)", "note"] });
      expect(logged[0]).not.toContain("CANARY");
    });
  });

  test("do not make a denial invalid, because the call might pass then", async () => {
    stage.project.respond = () => ({ code: "CHECK_FAILED", eror_message: "no", override: { x: 1 } });
    await withPlugin({ points: ["pre"], failure_mode: "fail_open" }, async () => {
      expect((await execute(stage, "Test.Echo", { text: "x" })).kind).toBe("CONTEXT_DENIED");
    });
  });

  test.each<[string, object]>([
    ["an access answer with a mistyped list", { denny: { Test: { tools: { Echo: [] } } } }],
    ["an access answer with a mistyped version", { only: { Test: { tools: { Echo: [{ verison: "9" }] } } } }],
  ])("%s hides all tools of a hook that fails closed", async (_what, answer) => {
    stage.project.respond = (_asked, response) => json(response, 200, answer);
    await withPlugin({ points: ["access"] }, async () => {
      const { text } = await stage.agent.get("/v1/tools?user_id=alice&limit=100");
      expect(text.includes('"Test.Echo"')).toBe(false);
    });
  });
});

// A key of any project of the organization may test its plugins.
test("a plugin test returns the answers without values of secrets", async () => {
  const answers: unknown[] = [{ secrets: [{ WORD: "CANARY" }] }, { secrets: { WORD: "CANARY" } }];
  for (const override of answers) {
    stage.organization.respond = () => ({ code: "OK", override });
    const { plugins, hooks } = stage.deployment.runtime;
    const made = await stage.plugin({ peer: stage.organization, binding: "tenant", points: ["pre"] });
    const { status, text } = await stage.admin.post(`/v1/plugins/${made.id}/test`);
    expect([status, text.includes("CANARY"), text.includes("[redacted]")]).toEqual([200, false, true]);
    for (const id of Object.values(made.hooks)) await hooks.delete(operator(), id);
    await plugins.delete(operator(), made.id);
  }
});
