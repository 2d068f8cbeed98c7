// Ways in which a tool can fail, as callers see them.
import { describe, expect, test } from "bun:test";
import { EgressError } from "../../src/egress";
import {
  badInput,
  fatal,
  GrantDead,
  outcomeUnknown,
  retryableInput,
  type ToolError,
  upstreamFailed,
  upstreamNotFound,
  upstreamRateLimited,
  upstreamRefused,
} from "../../src/tools";
import { agent, deploy, type Deployment } from "./deployment";

type Failing = () => unknown;

async function failure(thrown: Failing, { tool = "Test.Act", more = {} } = {}) {
  await using deployment = await deploy();
  deployment.test.act = async () => {
    throw thrown();
  };
  return await run(deployment, tool, more);
}

function run({ runtime }: Deployment, tool_name: string, more: object = {}) {
  return runtime.tools.execute(agent(), { tool_name, user_id: "alice", ...more });
}

describe("an error of the tool", () => {
  test.each<[string, () => ToolError, object]>([
    [
      "bad input",
      () => badInput("no"),
      { kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", can_retry: false, status_code: 400 },
    ],
    [
      "input that can be mended",
      () => retryableInput("no", { additionalPromptContent: "try this", retryAfterMs: 500 }),
      {
        kind: "TOOL_RUNTIME_RETRY",
        can_retry: true,
        status_code: 400,
        additional_prompt_content: "try this",
        retry_after_ms: 500,
      },
    ],
    [
      "not found",
      () => upstreamNotFound("no"),
      { kind: "UPSTREAM_RUNTIME_NOT_FOUND", can_retry: false, status_code: 404 },
    ],
    [
      "refused",
      () => upstreamRefused("no"),
      { kind: "UPSTREAM_RUNTIME_BAD_REQUEST", can_retry: false, status_code: 403 },
    ],
    [
      "rate",
      () => upstreamRateLimited("no", { retryAfterMs: 7000 }),
      { kind: "UPSTREAM_RUNTIME_RATE_LIMIT", can_retry: true, status_code: 429, retry_after_ms: 7000 },
    ],
    [
      "failed",
      () => upstreamFailed("no", { developerMessage: "internal_error", statusCode: 503, extra: { a: 1 } }),
      {
        kind: "UPSTREAM_RUNTIME_SERVER_ERROR",
        can_retry: true,
        status_code: 503,
        developer_message: "internal_error",
        extra: { a: 1 },
      },
    ],
    ["fatal", () => fatal("no"), { kind: "TOOL_RUNTIME_FATAL", can_retry: false, status_code: 500 }],
    [
      "unknown outcome",
      () => outcomeUnknown(upstreamFailed("no", { extra: { a: 1 } })),
      { kind: "UPSTREAM_RUNTIME_SERVER_ERROR", can_retry: false, extra: { a: 1, outcome: "unknown" } },
    ],
  ])("%s", async (_name, thrown, expected) => {
    const execution = await failure(thrown);

    expect([execution.success, execution.status]).toEqual([false, "failed"]);
    expect(execution.output?.error).toMatchObject(expected);
    expect(execution.output?.error?.message).toMatch(
      /^\[\w+\] ToolError during execution of tool 'Test\.Act': no/,
    );
    expect(execution.output).not.toHaveProperty("value");
  });

  test.each<[string, Failing]>([
    ["an error", () => new Error("planted-secret")],
    ["a type error", () => new TypeError("planted-secret")],
    ["no error at all", () => "planted-secret"],
    ["nothing", () => undefined],
  ])("that is not a ToolError (%s) is fatal, and its message is not shown", async (_name, thrown) => {
    const execution = await failure(thrown);

    expect(execution.output?.error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", can_retry: false });
    expect(JSON.stringify(execution)).not.toContain("planted-secret");
  });

  test("has its stack only if requested", async () => {
    const asked = await failure(() => badInput("no"), { more: { include_error_stacktrace: true } });
    const not = await failure(() => badInput("no"));

    expect(asked.output?.error?.stacktrace).toStartWith("ToolError: no\n    at ");
    expect(not.output?.error).not.toHaveProperty("stacktrace");
  });

  test("thrown before the tool's first wait is an answer too", async () => {
    await using deployment = await deploy();
    deployment.test.act = () => {
      throw badInput("at once");
    };

    expect((await run(deployment, "Test.Act")).output?.error).toMatchObject({
      kind: "TOOL_RUNTIME_BAD_INPUT_VALUE",
    });
  });

  test("of bad input is reported before the tool runs", async () => {
    await using deployment = await deploy();
    const execution = await run(deployment, "Test.Act", { input: { txt: 1 } });

    expect(execution.output?.error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", status_code: 400 });
    expect(execution.output?.error?.message).toContain('Did you mean "text"?');
    expect(deployment.test.runs).toBe(0);
  });
});

describe("a network failure", () => {
  const sent = { maybeSent: true };
  const unsent = { maybeSent: false };
  const unknown = { can_retry: false, extra: { outcome: "unknown" } };
  test.each<[string, string, EgressError, object]>([
    [
      "no connection",
      "Test.Act",
      new EgressError("unreachable", "x", unsent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", can_retry: true },
    ],
    [
      "a connection that broke after a write",
      "Test.Act",
      new EgressError("unreachable", "x", sent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", ...unknown },
    ],
    [
      "a connection that broke after a read",
      "Test.Look",
      new EgressError("unreachable", "x", sent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", can_retry: true },
    ],
    [
      "no answer to a write in time",
      "Test.Act",
      new EgressError("timeout", "x", sent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", ...unknown },
    ],
    [
      "no answer to a read in time",
      "Test.Look",
      new EgressError("timeout", "x", sent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", can_retry: true },
    ],
    [
      "no time left to send",
      "Test.Act",
      new EgressError("timeout", "x", unsent),
      { kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", can_retry: true },
    ],
    [
      "an address that the policy refuses",
      "Test.Act",
      new EgressError("address_refused", "set RUNTIME_EGRESS_ALLOW", unsent),
      { kind: "TOOL_RUNTIME_FATAL", can_retry: false },
    ],
  ])("%s", async (_name, tool, thrown, expected) => {
    const { output } = await failure(() => thrown, { tool });

    expect(output?.error).toMatchObject(expected);
  });

  test("of a real connection: nothing listens", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_CHAT_API_URL: "http://127.0.0.1:1/" } });
    deployment.test.act = (_input, context) => context.fetch("api", "me", { method: "POST" });

    expect((await run(deployment, "Test.Act")).output?.error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
      can_retry: true,
    });
  });
});

describe("a tool that takes too long", () => {
  async function hanging(tool: string) {
    await using deployment = await deploy({ environment: { RUNTIME_TOOLS_TIMEOUT: "1" } });
    deployment.test.act = () => new Promise(() => undefined);
    return await run(deployment, tool);
  }

  test("is interrupted: a read can be retried", async () => {
    const error = (await hanging("Test.Look")).output?.error;

    expect(error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
      can_retry: true,
      status_code: 504,
    });
    expect(error?.message).toContain("did not finish within 1 s");
  });

  test("is interrupted: the outcome of a write is unknown", async () => {
    expect((await hanging("Test.Act")).output?.error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
      can_retry: false,
      extra: { outcome: "unknown" },
    });
  });

  test("and handles its signal reports its own error", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_TOOLS_TIMEOUT: "1" } });
    deployment.test.act = async (_input, { signal, deadline, now, sleep }) => {
      const left = deadline - now();
      await sleep(10_000);
      throw upstreamNotFound(`aborted: ${signal.aborted}, had ${Math.round(left / 100) * 100} ms`);
    };

    expect((await run(deployment, "Test.Act")).output?.error?.message).toEndWith(
      "aborted: true, had 1000 ms",
    );
  });

  test("and a clock that is set meanwhile does not end it", async () => {
    await using deployment = await deploy();
    deployment.test.act = async (_input, context) => {
      const before = context.deadline - context.now();
      deployment.clock.jump(24 * 3600_000);
      const left = context.deadline - context.now();
      const { status } = await context.fetch("api", "me", { anonymous: true });
      return { isSame: Math.round((before - left) / 1000) === 0, status };
    };

    expect((await run(deployment, "Test.Act")).output?.value).toEqual({ isSame: true, status: 200 });
  });

  test("gets no additional time for the retry with a new token", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_TOOLS_TIMEOUT: "1" } });
    const { idp, platform, test: catalog } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    idp.otherwise({ body: { access_token: "second" } });
    platform.refuse("access-of-alice");
    const deadlines: number[] = [];
    catalog.act = async (_input, context) => {
      deadlines.push(context.deadline);
      if ((await context.fetch("api", "me")).status === 401) throw new GrantDead("HTTP 401");
      return null;
    };
    await run(deployment, "Test.ActFor");

    expect([deadlines.length, new Set(deadlines).size]).toEqual([2, 1]);
  });
});

describe("a caller that disconnects", () => {
  test("ends the run", async () => {
    await using deployment = await deploy();
    const gone = new AbortController();
    deployment.test.act = async (_input, { signal }) => {
      gone.abort();
      await Bun.sleep(1);
      throw badInput(`aborted: ${signal.aborted}`);
    };
    const request = { tool_name: "Test.Act", user_id: "alice" };
    const execution = await deployment.runtime.tools.execute(agent(), request, { signal: gone.signal });

    expect(execution.output?.error?.message).toContain("aborted: true");
  });

  test("before the tool ran prevents the run", async () => {
    await using deployment = await deploy();
    const request = { tool_name: "Test.Act", user_id: "alice" };
    const signal = AbortSignal.abort();
    const execution = await deployment.runtime.tools.execute(agent(), request, { signal });

    expect([execution.success, deployment.test.runs]).toEqual([false, 0]);
    expect(execution.output?.error).toMatchObject({ can_retry: true });
  });
});
