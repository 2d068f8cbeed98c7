// The user's token goes to the platform's own address and below it, and nowhere else.
import { describe, expect, test } from "bun:test";
import { startTokenEndpoint } from "../support/token-endpoint";
import { agent, deploy, type Deployment, operator } from "./deployment";

async function connected(environment: Record<string, string> = {}): Promise<Deployment> {
  const deployment = await deploy({ environment });
  await deployment.addProvider();
  await deployment.give("alice");
  return deployment;
}

function run({ runtime }: Deployment, tool_name: string, input: object = {}) {
  return runtime.tools.execute(agent(), { tool_name, user_id: "alice", input: { ...input } });
}

describe("a path leads", () => {
  // The platform's address is http://127.0.0.1:PORT/api/.
  test.each([
    ["me", "/api/me"],
    ["/me", "/api/me"],
    ["", "/api/"],
    ["/", "/api/"],
    ["a/b?c=d&e=%2F", "/api/a/b?c=d&e=%2F"],
    ["a/../b", "/api/b"],
    ["?x=1", "/api/?x=1"],
    ["a%2F..%2Fb", "/api/a%2F..%2Fb"],
    ["user@host", "/api/user@host"],
    ["//evil.example/me", "/api/evil.example/me"],
    ["///evil.example", "/api/evil.example"],
    ["a//b", "/api/a//b"],
    ["é", "/api/%C3%A9"],
  ])("%p → %s, with the token", async (path, address) => {
    await using deployment = await connected();
    await run(deployment, "Test.Call", { path });

    expect(deployment.platform.calls).toEqual([
      { method: "GET", address, authorization: "Bearer access-of-alice" },
    ]);
  });
});

describe("a path outside the base is refused before anything is sent:", () => {
  test.each([
    "../",
    "../x",
    "a/../../x",
    "%2e%2e/x",
    ".%2E/x",
    "..\\x",
    "\\x",
    "\\\\evil.example/x",
    "\\/evil.example/x",
    "http://evil.example/x",
    "https://evil.example/x",
    "HTTPS:evil.example",
    "http:///evil.example",
    "javascript:alert(1)",
    "data:text/plain,x",
    "http://127.0.0.1:1/api/me",
    "\t//evil.example",
    "ht\ntp://evil.example/",
  ])("%p", async (path) => {
    await using deployment = await connected();
    const { output } = await run(deployment, "Test.Call", { path });

    expect(output?.error?.kind).toBe("TOOL_RUNTIME_FATAL");
    expect(deployment.platform.calls).toEqual([]);
  });

  test("the platform's own address, written in full, is refused too", async () => {
    await using deployment = await connected();
    const { url } = deployment.platform;

    expect((await run(deployment, "Test.Call", { path: `${url}me` })).success).toBe(true);
    expect((await run(deployment, "Test.Call", { path: url.replace("/api/", "/other/") })).success).toBe(
      false,
    );
  });
});

describe("the platform's address", () => {
  test("is the catalog's own if nothing replaces it", async () => {
    await using deployment = await connected();
    deployment.test.act = (_input, context) => context.fetch("unset", "me");

    const { output } = await run(deployment, "Test.ActFor");
    expect(output?.error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL" });
    expect(output?.error?.message).toContain('The address of the platform ("unset") is not configured.');
  });

  test("is the setting's, with and without a slash at its end", async () => {
    await using deployment = await connected();
    for (const address of [deployment.platform.url, deployment.platform.url.slice(0, -1)]) {
      await using other = await connected({ RUNTIME_CHAT_API_URL: address });
      await run(other, "Test.Call", { path: "me" });
    }

    expect(deployment.platform.calls.map((call) => call.address)).toEqual(["/api/me", "/api/me"]);
  });

  test("is the secret's, before the setting's", async () => {
    await using elsewhere = startTokenEndpoint();
    await using deployment = await connected({ RUNTIME_RECORDS_SERVER_URLS: elsewhere.url });
    elsewhere.otherwise({ body: "there" });
    const { secrets } = deployment.runtime;
    await secrets.upsert(operator(), "TEST_ADDRESS", { value: `${elsewhere.url}/base` });
    await secrets.upsert(operator(), "TEST_WORD", { value: "word" });
    await run(deployment, "Test.Elsewhere", { path: "me" });

    expect(elsewhere.requests.map(({ address }) => address)).toEqual(["/base/me"]);
    expect(elsewhere.requests[0]?.headers.get("authorization")).toBe("Bearer access-of-alice");
    expect(deployment.platform.calls).toEqual([]);
  });

  test("in a secret gets no token unless the catalog or the operator knows it", async () => {
    await using deployment = await connected();
    await using elsewhere = startTokenEndpoint();
    const { secrets } = deployment.runtime;
    await secrets.upsert(operator(), "TEST_ADDRESS", { value: elsewhere.url });
    await secrets.upsert(operator(), "TEST_WORD", { value: "word" });
    const { output } = await run(deployment, "Test.Elsewhere", { path: "me" });

    expect(output?.error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL" });
    expect(output?.error?.message).toContain("RUNTIME_RECORDS_SERVER_URLS");
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([
    ["no address", "nowhere"],
    ["of another kind", "ftp://127.0.0.1/"],
    ["a script", "javascript:alert(1)"],
    ["one with a user in it", "http://user@127.0.0.1/"],
    ["one with a password in it", "http://:password@127.0.0.1/"],
    ["empty", ""],
  ])("in a secret that is %s is an error for the operator, and gets no token", async (_name, value) => {
    await using deployment = await connected();
    const { secrets } = deployment.runtime;
    await secrets.upsert(operator(), "TEST_ADDRESS", { value });
    await secrets.upsert(operator(), "TEST_WORD", { value: "word" });
    const { output } = await run(deployment, "Test.Elsewhere");

    expect(output?.error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL" });
    expect(output?.error?.message).toContain("TEST_ADDRESS");
    expect(deployment.platform.calls).toEqual([]);
  });

  test("with a line end after it is the same address [fault: secret-line-end]", async () => {
    await using deployment = await connected();
    const { secrets } = deployment.runtime;
    await secrets.upsert(operator(), "TEST_ADDRESS", { value: `${deployment.platform.url}\r\n` });
    await secrets.upsert(operator(), "TEST_WORD", { value: "word" });
    await run(deployment, "Test.Elsewhere", { path: "me" });

    expect(deployment.platform.calls.map((call) => call.address)).toEqual(["/api/me"]);
  });
});

describe("a request", () => {
  test("that is anonymous carries no token", async () => {
    await using deployment = await connected();
    deployment.test.act = async (_input, context) => {
      await context.fetch("api", "link", { anonymous: true });
    };
    await run(deployment, "Test.ActFor");

    expect(deployment.platform.calls).toEqual([{ method: "GET", address: "/api/link", authorization: null }]);
  });

  test("of a tool without a grant carries no token", async () => {
    await using deployment = await connected();
    deployment.test.act = async (_input, context) => {
      await context.fetch("api", "open");
    };
    await run(deployment, "Test.Act");

    expect(deployment.platform.calls).toMatchObject([{ authorization: null }]);
  });

  test("carries the user's token regardless of the tool's headers", async () => {
    await using deployment = await connected();
    deployment.test.act = async (_input, context) => {
      await context.fetch("api", "me", { headers: { Authorization: "Bearer of-the-tool", "x-own": "1" } });
    };
    await run(deployment, "Test.ActFor");

    expect(deployment.platform.tokens()).toEqual(["access-of-alice"]);
  });

  test("that is redirected does not take the token to another host", async () => {
    await using elsewhere = startTokenEndpoint();
    await using redirecting = startTokenEndpoint();
    await using deployment = await connected({ RUNTIME_RECORDS_SERVER_URLS: redirecting.url });
    elsewhere.otherwise({ body: "there" });
    redirecting.otherwise({ status: 302, headers: { location: `${elsewhere.url}/x` } });
    const { secrets } = deployment.runtime;
    await secrets.upsert(operator(), "TEST_ADDRESS", { value: redirecting.url });
    await secrets.upsert(operator(), "TEST_WORD", { value: "word" });
    const { success } = await run(deployment, "Test.Elsewhere");

    expect(success).toBe(false);
    expect(redirecting.requests).toHaveLength(1);
    expect(elsewhere.requests).toEqual([]);
  });
});

test("no token of these requests is in the log, at level debug", async () => {
  await using deployment = await connected();
  await run(deployment, "Test.Call");

  const log = deployment.logLines.join("\n");
  expect(log).toContain("outbound request");
  expect(log).not.toContain("access-of-alice");
});
