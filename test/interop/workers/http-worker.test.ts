// The HTTP kind against a worker in Python: FastAPI serves it, and PyJWT checks every token. What it answers follows the
// tests of the ecosystem's library (ArcadeAI/arcade-mcp at 597debaa), named at each group.
import { describe, expect } from "bun:test";
import { type Clock, Redacted, systemClock } from "../../../src/base";
import { GrantDead } from "../../../src/tools";
import type { WorkerTool } from "../../../src/workers/tool";
import { testWith } from "../../support/require";
import { drive, SECRET, workerAt } from "../../workers/http/driver";
import { hasPythonWorker, startPythonWorker } from "./http-worker";

const test = testWith("python3-fastapi, python3-uvicorn or python3-jwt (Debian)", hasPythonWorker());

async function started(age: "new" | "2025-01" = "new") {
  const python = await startPythonWorker(age);
  const driver = drive();
  const worker = workerAt(python.uri);
  const catalog = await driver.kind.read(worker, {});
  const named = (name: string, version = "1.0.0"): WorkerTool => {
    const tool = catalog.tools.find((one) => one.name === name && one.toolkit?.version === version);
    if (tool === undefined) throw new Error(`the worker has no ${name}`);
    return tool;
  };
  return { python, driver, worker, catalog, named };
}

// libs/tests/worker/test_auth.py 16 to 36, test_worker_fastapi.py 90 to 113, test_worker_base.py 138 to 141 and 462.
describe("authentication", () => {
  test("the worker accepts our tokens, at each route", async () => {
    const { driver, worker, named } = await started();

    const { server } = await driver.kind.probe(worker, {});
    const { value } = await driver.call(worker, named("Simple"), { input: { inp: "hello" } });

    expect(server?.description).toMatch(/^\d+ tools$/);
    expect(value).toBe("hello");
  });

  test("a wrong secret is told to the operator, and is not a refusal of the user's token", async () => {
    const { driver, worker, named } = await started();
    const wrong = workerAt(worker.uri, { secret: async () => new Redacted(`${SECRET}-of-another-worker`) });

    const read: unknown = await driver.kind.read(wrong, {}).catch((thrown: unknown) => thrown);
    const call = await driver.call(wrong, named("WhoAmI"), { token: "user-token" });

    expect(read).toMatchObject({ reason: "refused" });
    expect(String(read)).toContain("is not the secret that the worker was started with");
    expect(call.error?.kind).toBe("TOOL_RUNTIME_FATAL");
    expect(call.error?.message).toContain("is not the secret that the worker was started with");
    expect(call.renewals).toBe(0);
  });

  test("clocks that differ are told from a wrong secret", async () => {
    const { driver, worker } = await started();
    const late = drive({ clock: systemClockAt(-600_000) });

    const read: unknown = await late.kind.read(worker, {}).catch((thrown: unknown) => thrown);

    expect(String(read)).toContain("Check the clocks");
    expect(driver.lines.join("")).not.toContain(SECRET);
  });

  test("a base address with the prefix of the protocol, and one with a slash, are the same", async () => {
    const { driver, worker, catalog } = await started();

    for (const uri of [`${worker.uri}/worker`, `${worker.uri}/worker/`, `${worker.uri}/`])
      expect(await driver.kind.read(workerAt(uri), {})).toEqual(catalog);
  });
});

// libs/tests/tool/test_create_tool_definition.py 372 to 605 and 800 to 990, test_create_tool_definition_typeddict.py 150
// to 350, test_tool_metadata.py 166 to 172 and 450, libs/tests/core/test_catalog.py 198 and 286.
describe("the catalog", () => {
  test("has each tool in each version", async () => {
    const { catalog } = await started();
    const simple = catalog.tools.filter(({ name }) => name === "Simple");

    expect(simple.map(({ toolkit }) => toolkit?.version)).toEqual(["1.0.0", "0.9.0"]);
    expect(catalog.skipped).toEqual([
      { name: "Peer.Coordinator", reason: expect.stringContaining("asks for metadata") },
    ]);
  });

  test("parameters have the types of the worker", async () => {
    const { named } = await started();
    const item = {
      status: { type: "string" },
      count: { type: "integer" },
      note: { type: ["string", "null"] },
    };

    expect(named("Everything")).toMatchObject({
      notInferrable: ["text"],
      input: {
        type: "object",
        required: ["text"],
        additionalProperties: false,
        properties: {
          text: { type: "string", enum: ["one word", "other"] },
          flag: { type: "boolean" },
          ratio: { type: "number" },
          words: { type: "array", items: { type: "string", enum: ["a", "b"] } },
          free: {},
          item: {
            type: "object",
            properties: { ...item, deep: { type: "object", properties: item } },
            required: ["status"],
          },
          maybe: { type: ["string", "null"] },
        },
      },
    });
    expect(named("Simple").input["properties"]).toEqual({ inp: { type: "string", description: "A text." } });
  });

  test("outputs have the types of the worker", async () => {
    const { named } = await started();
    const properties = {
      status: { type: ["string", "null"] },
      count: { type: ["integer", "null"] },
      note: { type: ["string", "null"] },
    };

    expect(named("Typed").output).toEqual({
      type: "object",
      properties,
      required: ["count", "note", "status"],
      description: "The result.",
    });
    expect(named("TypedList").output).toEqual({
      type: "array",
      items: { type: "object", properties, required: ["status"] },
      description: "The result.",
    });
  });

  test("requirements name a provider, a record or both; keys are compared without case", async () => {
    const { named } = await started();

    expect(named("WhoAmI").authorization).toEqual({ provider: "known", scopes: ["read", "write"] });
    expect(named("ByRecord").authorization).toEqual({ id: "my-provider", scopes: ["scope1", "scope2"] });
    expect(named("WithoutScopes").authorization).toEqual({
      provider: "known",
      id: "my-provider",
      scopes: [],
    });
    expect(named("WhoAmI").sendsMetadata).toEqual(["client_id"]);
    expect(named("Coordinator").sendsMetadata).toEqual(["coordinator_url"]);
    expect(named("Secret").secrets).toEqual(["API_KEY", "SECOND_KEY"]);
  });

  test("a tool that says nothing about its effects may have all of them", async () => {
    const { named } = await started();

    expect(named("Simple").metadata.behavior).toEqual({
      operations: ["read"],
      read_only: true,
      destructive: false,
      idempotent: false,
      open_world: true,
    });
    expect(named("Sum").metadata.behavior).toEqual({
      operations: [],
      read_only: false,
      destructive: true,
      idempotent: false,
      open_world: true,
    });
    expect(named("SimpleDeprecated").deprecation).toBe("Use Simple in its place.");
  });

  test("an older worker's has the same tools, with less about their types", async () => {
    const { catalog, named } = await started("2025-01");
    const newer = await started();

    expect(catalog.tools.map(({ name }) => name)).toEqual(newer.catalog.tools.map(({ name }) => name));
    expect(named("Typed").output).toEqual({ description: "The result." });
    expect(named("Simple").metadata.behavior).toMatchObject({ read_only: false, destructive: true });
  });
});

// libs/tests/core/test_executor.py 141 to 295, test_output.py 31 to 65, test_typeddict_output_execution.py 147 to 207,
// libs/tests/worker/test_worker_base.py 145 to 160 and 370 to 390, test_worker_fastapi.py 148.
describe("results", () => {
  test.each([
    ["Simple", { inp: "test" }, "test"],
    ["Sum", { a: 5, b: 3 }, 8],
    ["Nothing", {}, ""],
    [
      "Object",
      {},
      { key: "value", number: 42, id: "9007199254740993123", nested: { inner: [1.5, null, true] } },
    ],
    ["Typed", {}, { status: "done", count: 3, note: null }],
    ["TypedList", {}, [expect.objectContaining({ count: 1 }), expect.objectContaining({ count: 2 })]],
    ["Everything", { text: "other", item: { status: "s" } }, { text: "other", item: { status: "s" } }],
  ])("of %s", async (name, input, value) => {
    const { driver, worker, named } = await started();

    const called = await driver.call(worker, named(name), { input });

    expect(called.error).toBeUndefined();
    expect(called.value).toEqual(value);
    expect(called.logs).toEqual([]);
  });

  test("a deprecated tool does not say so a second time: the run tells it already", async () => {
    const { driver, worker, named } = await started();

    const { value, logs } = await driver.call(worker, named("SimpleDeprecated"), { input: { inp: "test" } });

    expect(value).toBe("test");
    expect(logs).toEqual([]);
  });

  test("the version of the tool is the one that was listed", async () => {
    const { driver, worker, named } = await started();

    const { value } = await driver.call(worker, named("Simple", "0.9.0"), { input: { inp: "x" } });

    expect(value).toBe("0.9.0: x");
  });
});

// libs/tests/core/test_executor.py 157 to 275, test_errors.py 21 to 55 and 93 to 104, libs/tests/tool/
// test_error_fallback.py 41 and 101.
describe("errors", () => {
  const DEVELOPER = (kind: string, type: string, tool: string, text: string): string =>
    `[${kind}] ${type} during execution of tool '${tool}': ${text}`;

  test.each([
    [
      "Retry",
      "TOOL_RUNTIME_RETRY",
      "no such city",
      true,
      {
        developerMessage: DEVELOPER("TOOL_RUNTIME_RETRY", "RetryableToolError", "Retry", "code 17"),
        additionalPromptContent: "Cities are Oslo and Bergen.",
        retryAfterMs: 1000,
      },
    ],
    [
      "Fatal",
      "TOOL_RUNTIME_FATAL",
      "it broke",
      false,
      { developerMessage: DEVELOPER("TOOL_RUNTIME_FATAL", "ToolExecutionError", "Fatal", "line 7") },
    ],
    [
      "Unexpected",
      "TOOL_RUNTIME_FATAL",
      "a RuntimeError was not handled",
      false,
      {
        developerMessage: DEVELOPER("TOOL_RUNTIME_FATAL", "FatalToolError", "Unexpected", "RuntimeError: no"),
        statusCode: 500,
      },
    ],
    [
      "ContextRequired",
      "TOOL_RUNTIME_CONTEXT_REQUIRED",
      "which of them",
      false,
      { additionalPromptContent: "Ask the user." },
    ],
    ["BadRequest", "UPSTREAM_RUNTIME_BAD_REQUEST", "refused", false, { statusCode: 400 }],
    ["RateLimit", "UPSTREAM_RUNTIME_RATE_LIMIT", "too many", true, { statusCode: 429, retryAfterMs: 1000 }],
    ["BadOutput", "TOOL_RUNTIME_BAD_OUTPUT_VALUE", "cannot be sent", false, { statusCode: 500 }],
    ["BadInput", "TOOL_RUNTIME_BAD_INPUT_VALUE", "inp: not a text", false, { statusCode: 400 }],
    [
      "Unreachable",
      "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
      "no answer",
      true,
      { extra: { error_type: "PoolTimeout" } },
    ],
    ["EmptyMessage", "TOOL_RUNTIME_FATAL", "(no details provided)", false, {}],
  ])("of %s", async (name, kind, message, canRetry, details) => {
    const { driver, worker, named } = await started();

    const { error } = await driver.call(worker, named(name));

    expect([error?.kind, error?.message, error?.canRetry]).toEqual([kind, message, canRetry]);
    expect(error?.details).toEqual(details);
  });

  test("an older worker names no kind", async () => {
    const { driver, worker, named } = await started("2025-01");

    const { error } = await driver.call(worker, named("Retry"));

    expect([error?.kind, error?.message, error?.canRetry]).toEqual(["UNKNOWN", "no such city", true]);
    expect(error?.details.developerMessage).toBe("code 17");
  });

  // libs/tests/worker/test_worker_fastapi.py 156, test_worker_base.py 321: an unknown tool is an unhandled error.
  test("an error that the worker does not handle may come after the effect", async () => {
    const { driver, worker, named } = await started();

    const { error } = await driver.call(worker, named("Crash"));

    expect(error?.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(error?.canRetry).toBe(false);
    expect(error?.details).toMatchObject({ statusCode: 500, extra: { outcome: "unknown" } });
  });
});

// libs/tests/core/test_schema.py 10 to 114.
describe("what the worker gets", () => {
  test("with a tool that declares an authorization", async () => {
    const { driver, python, worker, named } = await started();

    const { value } = await driver.call(worker, named("WhoAmI"), {
      token: "token-of-alice",
      facts: { name: "Alice" },
      clientId: "client-of-known",
    });
    const [call] = await python.seen();

    expect(value).toBe("Alice");
    expect(call).toEqual({
      run_id: "te_1",
      execution_id: "tc_1",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      tool: { name: "WhoAmI", toolkit: "Peer", version: "1.0.0" },
      inputs: {},
      context: {
        authorization: { token: "token-of-alice", user_info: { name: "Alice" } },
        metadata: [{ key: "client_id", value: "client-of-known" }],
        user_id: "alice",
      },
    });
  });

  test("with one that declares secrets", async () => {
    const { driver, python, worker, named } = await started();

    const { value } = await driver.call(worker, named("Secret"), {
      secrets: { API_KEY: "one", SECOND_KEY: "two", NOT_DECLARED: "three" },
    });
    const [call] = await python.seen();

    expect(value).toBe("read");
    expect(call?.context).toEqual({
      secrets: [
        { key: "API_KEY", value: "one" },
        { key: "SECOND_KEY", value: "two" },
      ],
      user_id: "alice",
    });
  });

  test("with one that asks for the address of this server", async () => {
    const { driver, worker, named } = await started();
    expect((await driver.call(worker, named("Coordinator"))).value).toBe("https://runtime.example");
  });

  test("nothing of a grant that a tool does not declare", async () => {
    const { driver, python, worker, named } = await started();

    await driver.call(worker, named("Simple"), {
      input: { inp: "x" },
      token: "token-of-alice",
      facts: { name: "Alice" },
      secrets: { API_KEY: "one" },
    });
    const [call] = await python.seen();

    expect(call?.context).toEqual({ user_id: "alice" });
  });
});

// libs/arcade-core/arcade_core/errors.py: the kind for a platform that refuses the token.
describe("a token that the platform refuses", () => {
  test("is renewed, and the call repeated once", async () => {
    const { driver, python, worker, named } = await started();

    const called = await driver.call(worker, named("WhoAmI"), {
      token: "expired",
      newerToken: "token-of-alice",
      facts: { name: "Alice" },
    });

    expect([called.value, called.renewals]).toEqual(["Alice", 1]);
    expect((await python.seen()).length).toBe(2);
  });

  test("ends the grant if there is no newer one", async () => {
    const { driver, python, worker, named } = await started();

    const called = await driver.call(worker, named("WhoAmI"), { token: "expired" });

    expect(called.error).toBeInstanceOf(GrantDead);
    expect(called.error?.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
    expect((await python.seen()).length).toBe(1);
  });
});

function systemClockAt(difference: number): Clock {
  return { ...systemClock, now: () => Date.now() + difference, sleep: async () => undefined };
}
