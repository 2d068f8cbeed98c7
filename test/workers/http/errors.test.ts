// Error objects of every age of the protocol, and those that break it.
import { describe, expect, test } from "bun:test";
import { ConsentAsked, GrantDead } from "../../../src/tools";
import type { WorkerTool } from "../../../src/workers/tool";
import { type CallOptions, drive, toolOf, workerAt } from "./driver";
import { answered, standIn } from "./stand-in";

const AUTHORIZED = toolOf({ authorization: { provider: "known", scopes: ["read", "write"] } });

function called(output: object, tool: WorkerTool = toolOf(), options: CallOptions = {}) {
  const { uri } = standIn((arrived) => answered(arrived, output));
  return drive().call(workerAt(uri), tool, options);
}

async function errorOf(error: object, tool?: WorkerTool, options?: CallOptions) {
  return (await called({ value: null, error }, tool, options)).error;
}

describe("an error", () => {
  test("of 2024 has no kind and a trace of its own name", async () => {
    const error = await errorOf({ message: "it broke", can_retry: true, traceback_info: "File x, line 1" });
    expect([error?.kind, error?.message, error?.canRetry]).toEqual(["UNKNOWN", "it broke", true]);
    expect(JSON.stringify(error?.details)).not.toContain("line 1");
  });

  test("of 2025-09 has a kind, a status and more", async () => {
    const error = await errorOf({
      message: "[UPSTREAM_RUNTIME_NOT_FOUND] NotFoundError during execution of tool 'act': no such page",
      kind: "UPSTREAM_RUNTIME_NOT_FOUND",
      can_retry: false,
      status_code: 404,
      stacktrace: "File x, line 1",
      extra: { page: "1" },
    });
    expect([error?.kind, error?.message]).toEqual(["UPSTREAM_RUNTIME_NOT_FOUND", "no such page"]);
    expect(error?.details).toEqual({ statusCode: 404, extra: { page: "1" } });
  });

  test.each([
    ["UPSTREAM_RUNTIME_TEAPOT", "UPSTREAM_RUNTIME_UNMAPPED"],
    ["NETWORK_TRANSPORT_RUNTIME_DNS", "NETWORK_TRANSPORT_RUNTIME_UNMAPPED"],
    ["SOMETHING_ELSE", "UNKNOWN"],
    [17, "UNKNOWN"],
    ["CONTEXT_DENIED", "UNKNOWN"],
    ["TOOL_REQUIREMENTS_NOT_MET", "UNKNOWN"],
  ] as const)("of kind %p is one of %s", async (kind, known) => {
    expect((await errorOf({ message: "x", kind }))?.kind).toBe(known);
  });

  test.each([
    [{}],
    [{ message: "" }],
    [{ message: 17, kind: null, can_retry: "yes", retry_after_ms: "soon", status_code: 9999, extra: [] }],
  ])("with fields that do not fit still fails: %p", async (given) => {
    const error = await errorOf(given);
    expect([error?.kind, error?.canRetry]).toEqual(["UNKNOWN", false]);
    expect(error?.message).toContain("reports a failure and no reason");
    expect(error?.details).toEqual({});
  });

  test("is cut if it would fill the context of a model", async () => {
    const error = await errorOf({ message: "x".repeat(200_000), extra: { blob: "y".repeat(200_000) } });
    expect(error?.message.length).toBeLessThan(11_000);
    expect(error?.details.extra).toBeUndefined();
  });

  test("wins over a value", async () => {
    expect((await called({ value: "x", error: { message: "no" } })).error?.message).toBe("no");
  });
});

test("a failure without an error is a failure", async () => {
  const { uri } = standIn((arrived) => answered(arrived, {}, { success: false, output: null }));
  const { error } = await drive().call(workerAt(uri), toolOf());
  expect(error?.kind).toBe("UNKNOWN");
});

describe("a platform that refuses the user's token", () => {
  const REFUSED = { message: "expired", kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 401 };

  test("ends the grant, if there is no newer token", async () => {
    const { error, renewals } = await called({ error: REFUSED }, AUTHORIZED, { token: "token-of-alice" });
    expect(error).toBeInstanceOf(GrantDead);
    expect(renewals).toBe(1);
  });

  test("and the newer token as well, ends the grant after two calls", async () => {
    const { uri, arrived } = standIn((one) => answered(one, { error: REFUSED }));
    const { error } = await drive().call(workerAt(uri), AUTHORIZED, {
      token: "old-token",
      newerToken: "new-token",
    });
    expect(error).toBeInstanceOf(GrantDead);
    expect(arrived.map(({ body }) => /"token":"([^"]*)"/.exec(body)?.[1])).toEqual([
      "old-token",
      "new-token",
    ]);
  });

  test.each([
    ["with another status", { ...REFUSED, status_code: 403 }, AUTHORIZED],
    ["without a status", { ...REFUSED, status_code: null }, AUTHORIZED],
    ["in a tool without an authorization", REFUSED, toolOf()],
  ])("%s, is an error that ends nothing", async (_, error, tool) => {
    const called = await errorOf(error, tool, { token: "token-of-alice" });
    expect(called).not.toBeInstanceOf(GrantDead);
    expect(called?.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
  });
});

describe("an answer that requires an authorization", () => {
  const needed = { authorization_url: "https://evil.example/consent", scopes: ["admin"], status: "pending" };

  test("starts the consent of the tool's own requirement", async () => {
    const { error } = await called({ requires_authorization: needed }, AUTHORIZED, {
      token: "token-of-alice",
    });
    expect(error).toBeInstanceOf(ConsentAsked);
    expect(JSON.stringify(error?.details) + String(error?.message)).not.toContain("evil.example");
  });

  test("is an error of the worker, if the tool declares none", async () => {
    const { error } = await called({ requires_authorization: needed });
    expect(error?.kind).toBe("TOOL_RUNTIME_FATAL");
    expect(error?.message).not.toContain("evil.example");
  });
});

test("log lines of a worker are those of the run, with levels that are known", async () => {
  const { logs } = await called({
    value: 1,
    logs: [
      { message: "old", level: "warning", subtype: "deprecation" },
      { message: "loud", level: "fatal", subtype: "other" },
      { level: "info" },
      "text",
      null,
    ],
  });
  expect(logs).toEqual([
    { level: "warning", message: "old", subtype: "deprecation" },
    { level: "info", message: "loud" },
  ]);
});
