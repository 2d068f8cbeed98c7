// A server that gets a stop signal while it has work, as a process: what ends in time is answered, what does not is cut off
// and counted.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Installation, type RunningServer } from "../support/runtime-process";
import { Upstream } from "../support/mcp-upstream";

// Several processes in each test.
setDefaultTimeout(30_000);

/** Calls of the tool wait here. */
const waiting: PromiseWithResolvers<void>[] = [];
const upstream = new Upstream({
  capabilities: { tools: {} },
  methods: {
    "tools/list": () => ({
      tools: [{ name: "wait", description: "Waits.", inputSchema: { type: "object" } }],
    }),
    "tools/call": async () => {
      const turn = Promise.withResolvers<void>();
      waiting.push(turn);
      await turn.promise;
      return { content: [{ type: "text", text: "waited" }] };
    },
  },
});

let installation: Installation;
let key = "";
beforeAll(async () => {
  installation = new Installation(undefined);
  key = await installation.key("admin");
  const made = await installation.run(["workers", "create", "--id", "slow", "--yes", upstream.url]);
  expect(made.code, made.stderr).toBe(0);
});
afterAll(async () => {
  for (const { resolve } of waiting) resolve();
  await installation[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function calling(server: RunningServer): Promise<{ answer: Promise<Response | "cut"> }> {
  const before = waiting.length;
  const body = JSON.stringify({ tool_name: "slow.wait", user_id: "alice", input: {} });
  const headers = { authorization: key, "content-type": "application/json" };
  const answer = fetch(`${server.address}/v1/tools/execute`, { method: "POST", headers, body }).catch(
    () => "cut" as const,
  );
  while (waiting.length === before) await Bun.sleep(5);
  return { answer };
}

async function linesWith(server: RunningServer, text: string): Promise<Record<string, unknown>[]> {
  while (!server.output().includes(text)) await Bun.sleep(5);
  const lines = server.output().trimEnd().split("\n").slice(1);
  return lines.map((line) => JSON.parse(line)).filter(({ message }) => String(message).includes(text));
}

const NOTHING = { requests: 0, mcp_streams: 0, model_streams: 0, tool_calls: 0, scheduled_runs: 0 };

test("a call that ends in time is answered, with progress in the log, and new connections are refused", async () => {
  const server = await installation.serve();
  const { answer } = await calling(server);

  process.kill(server.pid, "SIGTERM");
  const [begun] = await linesWith(server, "Stopping");
  const [progress] = await linesWith(server, "still stopping");
  const other = await fetch(`${server.address}/v1/health`).catch(() => "refused");
  waiting.at(-1)?.resolve();

  expect(begun).toMatchObject({ ...NOTHING, requests: 1, tool_calls: 1, seconds_left: 60 });
  expect(progress).toMatchObject({ ...NOTHING, requests: 1, tool_calls: 1 });
  expect(Number(progress?.["seconds_left"])).toBeLessThan(60);
  expect(other).toBe("refused");
  const answered = await answer;
  expect(answered === "cut" ? answered : await answered.json()).toMatchObject({ success: true });
  expect(await server.exited).toBe(0);
  expect(await linesWith(server, "stopped")).toMatchObject([{ message: "stopped" }]);
});

test("a call that hangs is cut off at the limit, counted, and its end is logged", async () => {
  installation.environment["RUNTIME_SHUTDOWN_TIMEOUT"] = "1";
  const server = await installation.serve();
  const { answer } = await calling(server);

  process.kill(server.pid, "SIGTERM");

  expect(await answer).toBe("cut");
  expect(await server.exited).toBe(8);
  expect(await linesWith(server, "cut off")).toMatchObject([
    { ...NOTHING, level: "warn", requests: 1, tool_calls: 1, seconds: 1 },
  ]);
  const [last] = Object(await installation.json(["executions", "list"]));
  expect(last).toMatchObject({ status: "failed" });
});

test("a scheduled run that hangs is cut off, and its outcome is not made up", async () => {
  installation.environment["RUNTIME_SHUTDOWN_TIMEOUT"] = "1";
  const server = await installation.serve();
  const before = waiting.length;
  const soon = new Date(Date.now() + 1000).toISOString();
  const run = await installation.json(["tools", "exec", "slow.wait", "--user", "alice", "--run-at", soon]);
  while (waiting.length === before) await Bun.sleep(5);

  process.kill(server.pid, "SIGTERM");

  expect(await server.exited).toBe(8);
  expect(await linesWith(server, "cut off")).toMatchObject([
    { ...NOTHING, tool_calls: 1, scheduled_runs: 1 },
  ]);
  expect(run).toMatchObject({ execution_type: "scheduled" });
  expect(await installation.json(["scheduled", "list"])).toMatchObject([{ execution_status: "running" }]);
});

test("streams of MCP clients and of chats are counted, and cut off at the limit", async () => {
  installation.environment["RUNTIME_SHUTDOWN_TIMEOUT"] = "1";
  installation.environment["RUNTIME_MCP_KEEP_ALIVE"] = "1";
  using model = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => endlessAnswer() });
  const server = await installation.serve();
  const create = ["models", "create", "local", "--type", "openai", "--model", "m"];
  await installation.json([...create, "--base-url", `http://127.0.0.1:${model.port}/v1`]);
  await installation.json(["gateways", "create", "team", "--tool", "slow.wait"]);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Slow_wait", arguments: {} } };
  const chat = { model: "local/m", stream: true, messages: [{ role: "user", content: "hello" }] };

  const streams = [
    await post(`${server.address}/mcp/team`, call, {
      "x-user-id": "alice",
      "mcp-protocol-version": "2025-06-18",
    }),
    await post(`${server.address}/v1/chat/completions`, chat, {}),
  ];
  process.kill(server.pid, "SIGTERM");

  expect(streams.map(({ headers }) => headers.get("content-type")?.split(";")[0])).toEqual([
    "text/event-stream",
    "text/event-stream",
  ]);
  expect(await Promise.allSettled(streams.map((stream) => stream.text()))).toHaveLength(2);
  expect(await server.exited).toBe(8);
  expect(await linesWith(server, "cut off")).toMatchObject([
    { ...NOTHING, requests: 2, tool_calls: 1, mcp_streams: 1, model_streams: 1 },
  ]);
});

function post(url: string, body: object, more: Record<string, string>): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...more,
  };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

function endlessAnswer(): Response {
  const first = {
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content: "a" } }],
  };
  const event = new TextEncoder().encode(`data: ${JSON.stringify(first)}\n\n`);
  const events = new ReadableStream({ start: (controller) => controller.enqueue(event) });
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}
