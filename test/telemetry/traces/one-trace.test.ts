// Every way in is one trace, from the request to the platform.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { client } from "../../mcp/site";
import { until } from "../../connections/executing";
import { at, call } from "../../support/api";
import { operator } from "../../tools/deployment";
import { startTraced, type Traced, treeOf } from "./traced";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

let traced: Traced;
let key = "";
beforeAll(async () => {
  traced = await startTraced();
  const { runtime } = traced.stage.deployment;
  key = (await runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
  await runtime.gateways.create(operator(), { name: "All", slug: "all", auth_type: "arcade_header" });
});
afterAll(() => traced[Symbol.asyncDispose]());
beforeEach(() => {
  traced.receiver.spans.length = 0;
});

const execute = (body: object = {}, headers: Record<string, string> = {}) =>
  call(traced.stage.url, {
    method: "POST",
    path: "/v1/tools/execute",
    key,
    body: { tool_name: "Test.Call", user_id: "alice", input: { path: "me" }, ...body },
    headers,
  });

describe("a request to the API", () => {
  test("is the parent of the tool, which is the parent of the request to the platform", async () => {
    const { status, body } = await execute();
    expect(status).toBe(200);
    const spans = await traced.traceWith("POST /v1/tools/execute");
    expect(treeOf(spans)).toEqual(["POST /v1/tools/execute", "  execute_tool Test.Call", "    GET"]);
    const [root, tool, platform] = ["POST /v1/tools/execute", "execute_tool Test.Call", "GET"].map((name) =>
      traced.receiver.one(name),
    );
    expect([root?.kind, tool?.kind, platform?.kind]).toEqual([2, 1, 3]);
    expect(root?.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/tools/execute",
      "http.response.status_code": 200,
    });
    expect(tool?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "Test.Call",
      "gen_ai.tool.type": "extension",
      "runtime.toolkit.name": "Test",
      "runtime.entry_point": "api",
      "runtime.project.id": "default",
      "runtime.execution.id": String(at(body, "execution_id")),
      "runtime.outcome": "completed",
    });
    expect(platform?.attributes).toEqual({
      "http.request.method": "GET",
      "url.scheme": "http",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(traced.stage.deployment.platform.url).port),
      "http.response.status_code": 200,
      "runtime.egress.group": "Test",
      "runtime.project.id": "default",
    });
    expect(spans.some(({ hasError }) => hasError)).toBe(false);
    expect(root?.resource).toEqual({
      "service.name": "runtime",
      "service.version": expect.stringMatching(/^\d+\.\d+\.\d+/),
      "service.instance.id": expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
    });
  });

  test("continues the trace of its caller, and answers with its header as before", async () => {
    const answer = await execute({}, { traceparent: PARENT, tracestate: "rojo=1,congo=t61" });
    expect(answer.headers.get("traceparent")).toBe(PARENT);
    await traced.traceWith("POST /v1/tools/execute");
    const root = traced.receiver.one("POST /v1/tools/execute");
    expect([root.traceId, root.parentSpanId, root.flags, root.traceState]).toEqual([
      "4bf92f3577b34da6a3ce929d0e0e4736",
      "00f067aa0ba902b7",
      0x301,
      "rojo=1,congo=t61",
    ]);
    expect(traced.receiver.one("execute_tool Test.Call").traceId).toBe(root.traceId);
  });

  test.each(["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "garbage", `${PARENT}-more`])(
    "with the traceparent %s begins a trace of its own",
    async (traceparent) => {
      await execute({}, { traceparent });
      await traced.traceWith("POST /v1/tools/execute");
      const root = traced.receiver.one("POST /v1/tools/execute");
      expect([root.parentSpanId, root.traceId]).not.toContain("4bf92f3577b34da6a3ce929d0e0e4736");
      expect(root.parentSpanId).toBeUndefined();
    },
  );

  test("with a path has the pattern of it", async () => {
    await call(traced.stage.url, { method: "GET", path: "/v1/tools/Test.Call?user_id=alice", key });
    await traced.traceWith("GET /v1/tools/{name}");
    expect(traced.receiver.one("GET /v1/tools/{name}").attributes["http.route"]).toBe("/v1/tools/{name}");
  });

  test("that no route serves, and with a method that does not exist, has no name of the caller's", async () => {
    await fetch(`${traced.stage.url}/secret-path`, { method: "MADEUP" });
    await traced.receiver.until((spans) => spans.length > 0);
    const [span] = traced.receiver.spans;
    expect(span?.attributes["http.route"]).toBeUndefined();
    expect(
      JSON.stringify(traced.receiver.spans, (_key, value) => (typeof value === "bigint" ? "" : value)),
    ).not.toMatch(/secret-path|MADEUP/);
  });
});

test("a hook and its request are below the tool", async () => {
  const { id } = await traced.stage.plugin({ points: ["pre"] });
  try {
    await execute();
    const spans = await traced.traceWith("POST /v1/tools/execute");
    expect(treeOf(spans)).toEqual([
      "POST /v1/tools/execute",
      "  execute_tool Test.Call",
      "    hook tool.pre",
      "      POST",
      "    GET",
    ]);
    expect(traced.receiver.one("hook tool.pre").attributes).toMatchObject({
      "runtime.hook.point": "tool.pre",
      "runtime.outcome": "ok",
    });
    expect(traced.receiver.one("POST").attributes["runtime.egress.group"]).toBe("hook");
  } finally {
    await traced.stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" });
  }
});

test("a refresh of the token is below the tool", async () => {
  const { deployment } = traced.stage;
  await deployment.give("erin", { expiresIn: 1 });
  deployment.clock.move(5000);
  deployment.idp.queue({ body: { access_token: "newer", token_type: "Bearer", expires_in: 3600 } });
  await execute({ user_id: "erin" });
  const spans = await traced.traceWith("POST /v1/tools/execute");
  expect(treeOf(spans)).toContain("    refresh token");
  expect(traced.receiver.one("refresh token").attributes).toEqual({
    "runtime.auth_provider.id": "idp",
    "runtime.project.id": "default",
    "runtime.outcome": "refreshed",
  });
});

test("a tool that fails is an error of its span, with the kind of the failure", async () => {
  const { act } = traced.stage.deployment.test;
  traced.stage.deployment.test.act = () => {
    throw new TypeError("s3cr3t");
  };
  await execute({ tool_name: "Test.Act", input: {} });
  await traced.traceWith("POST /v1/tools/execute");
  const { hasError, attributes } = traced.receiver.one("execute_tool Test.Act");
  expect([hasError, attributes["error.type"]]).toEqual([true, "TOOL_RUNTIME_FATAL"]);
  traced.stage.deployment.test.act = act;
});

describe("a message of MCP", () => {
  const mcp = () => client(`${traced.stage.url}/mcp/all`, { key, user: "alice" });

  test("is between the request and the tool", async () => {
    await mcp().modern("tools/call", { name: "Test_Call", arguments: { path: "me" } });
    const spans = await traced.traceWith("tools/call Test.Call");
    expect(treeOf(spans)).toEqual([
      "POST /mcp/{slug}",
      "  tools/call Test.Call",
      "    execute_tool Test.Call",
      "      GET",
    ]);
    expect(traced.receiver.one("tools/call Test.Call")).toMatchObject({
      kind: 2,
      links: [],
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Test.Call",
        "runtime.gateway.slug": "all",
      },
    });
    expect(traced.receiver.one("execute_tool Test.Call").attributes["runtime.entry_point"]).toBe("mcp");
  });

  test("continues the trace in its _meta, and links the request that carried it", async () => {
    await mcp().modern("tools/call", {
      name: "Test_Call",
      arguments: {},
      _meta: { traceparent: PARENT, tracestate: "rojo=1" },
    });
    await traced.receiver.until((spans) => spans.some(({ name }) => name.startsWith("POST")));
    const message = traced.receiver.one("tools/call Test.Call");
    const carrier = traced.receiver.one("POST /mcp/{slug}");
    expect([message.traceId, message.parentSpanId, message.traceState]).toEqual([
      "4bf92f3577b34da6a3ce929d0e0e4736",
      "00f067aa0ba902b7",
      "rojo=1",
    ]);
    expect(message.links).toEqual([{ traceId: carrier.traceId, spanId: carrier.spanId }]);
    expect(traced.receiver.one("execute_tool Test.Call").parentSpanId).toBe(message.spanId);
  });

  test("with an unknown method has its code, and not the method that a client made up", async () => {
    await mcp().modern("s3cr3t/method");
    await traced.traceWith("_OTHER");
    const { hasError, attributes } = traced.receiver.one("_OTHER");
    expect([hasError, attributes["error.type"], attributes["rpc.response.status_code"]]).toEqual([
      true,
      "-32601",
      "-32601",
    ]);
  });

  test("whose tool fails is a tool error", async () => {
    await mcp().modern("tools/call", { name: "Test_Call", arguments: { path: 7 } });
    await traced.traceWith("tools/call Test.Call");
    expect(traced.receiver.one("tools/call Test.Call").attributes["error.type"]).toBe("tool_error");
  });
});

const CHAT = {
  model: "big-model",
  messages: [{ role: "user", content: "Call it." }],
  user: "alice",
  tools: ["Test.Call"],
  tool_choice: "generate",
};

test("a chat completion that is streamed is one trace, although its request ends with the head of the answer", async () => {
  const answers = Array.from({ length: 5 }, () =>
    fetch(`${traced.stage.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...CHAT, stream: true }),
    }).then((response) => response.text()),
  );
  for (const text of await Promise.all(answers)) expect(text).toContain("[DONE]");
  await traced.receiver.until((spans) => spans.length >= 5 * 7);
  const traces = Map.groupBy(traced.receiver.spans, ({ traceId }) => traceId);
  expect(traces.size).toBe(5);
  for (const spans of traces.values())
    expect(treeOf(spans)).toEqual([
      "POST /v1/chat/completions",
      "  chat big-model",
      "    POST",
      "  execute_tool Test.Call",
      "    GET",
      "  chat big-model",
      "    POST",
    ]);
});

test("a chat completion has its turns and the calls between them", async () => {
  const { status } = await traced.stage.agent.post("/v1/chat/completions", CHAT);
  expect(status).toBe(200);
  const spans = await traced.traceWith("POST /v1/chat/completions");
  expect(treeOf(spans)).toEqual([
    "POST /v1/chat/completions",
    "  chat big-model",
    "    POST",
    "  execute_tool Test.Call",
    "    GET",
    "  chat big-model",
    "    POST",
  ]);
  const [turn] = spans.filter(({ name }) => name === "chat big-model");
  expect(turn).toMatchObject({
    kind: 3,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "big-model",
      "runtime.model.id": "m",
    },
  });
  expect(turn?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
  expect(turn?.attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(0);
  const tool = spans.find(({ name }) => name.startsWith("execute_tool"));
  expect(tool?.attributes).toMatchObject({ "runtime.entry_point": "chat", "gen_ai.tool.call.id": "call_42" });
});

test("a scheduled run is a trace of its own", async () => {
  const { deployment, agent } = traced.stage;
  const run_at = new Date(deployment.clock.now() + 3600_000).toISOString();
  const { body } = await agent.post("/v1/tools/execute", {
    tool_name: "Test.Act",
    user_id: "alice",
    input: {},
    run_at,
  });
  const asked = await traced.traceWith("POST /v1/tools/execute");
  deployment.clock.move(3600_000);
  const path = `/v1/scheduled_tools/${String(at(body, "id"))}`;
  await until(async () => at((await agent.get(path)).body, "finished_at") !== undefined);
  const spans = await traced.traceWith("execute_tool Test.Act");
  expect(treeOf(spans)[0]).toBe("execute_tool Test.Act");
  const run = traced.receiver.one("execute_tool Test.Act");
  expect([run.parentSpanId, run.attributes["runtime.entry_point"]]).toEqual([undefined, "schedule"]);
  expect(run.traceId).not.toBe(asked[0]?.traceId);
});

test("no request was refused by the receiver", () => {
  expect(traced.receiver.faults).toEqual([]);
  expect(traced.receiver.requests.length).toBeGreaterThan(10);
});
