// A client whose key is revoked while it waits, streams or sends: everything that it has running ends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { client, type McpSite, post, request, send, startMcpSite } from "../mcp/site";
import { api, at } from "../support/api";
import { operator } from "../tools/deployment";
import { chunk, frame, type ModelServer, startModelServer, startStream } from "../sandbox/models/chat-server";
import { printFigure } from "./figure";

/** Longer than a test may take: an answer shows that something ended the wait. */
const LONG_S = 59;

let site: McpSite;
let models: ModelServer;
let gateway: string;
beforeAll(async () => {
  models = await startModelServer((_request, reply) => {
    // Never ends.
    startStream(reply);
    reply.write(frame(chunk({ content: "Hello" })));
  });
  const entry = { id: "local", models: ["m"], openai: { base_url: models.url, api_key: "a key" } };
  site = await startMcpSite({
    environment: { RUNTIME_MCP_KEEP_ALIVE: "1", RUNTIME_MODELS: JSON.stringify([entry]) },
  });
  await site.deployment.addProvider();
  await site.deployment.give("alice");
  gateway = await site.gateway("all");
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

let ended = 0;
afterAll(() => printFigure("a revoked client that works on", `${ended} waits, streams and calls: all end`));

/** A key of its own, and how to revoke it. */
async function revocable(expiresAt?: string) {
  const { identity } = site.deployment.runtime;
  const expiry = expiresAt === undefined ? {} : { expires_at: expiresAt };
  const { id, key = "" } = await identity.createKey(operator(), { name: "client", role: "run", ...expiry });
  return { key, agent: api(site.url, key), revoke: () => identity.deleteKey(operator(), id) };
}

/** A tool that says when it has started, and runs until it is stopped. */
function hangingTool() {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  site.deployment.test.act = async (_input, { signal, sleep }) => {
    signal.addEventListener("abort", () => stopped.resolve());
    started.resolve();
    await sleep(LONG_S * 1000);
    return { done: true };
  };
  return { started: started.promise, stopped: stopped.promise };
}

async function pendingConsent(agent: ReturnType<typeof api>): Promise<string> {
  const wish = { tool_name: "Test.Call", user_id: "bob" };
  return String(at((await agent.post("/v1/tools/authorize", wish)).body, "id"));
}

beforeEach(() => {
  ended += 1;
});

describe("a long poll ends with 401", () => {
  test("when its key is revoked", async () => {
    const { agent, revoke } = await revocable();
    const id = await pendingConsent(agent);
    const poll = agent.get(`/v1/auth/status?id=${id}&wait=${LONG_S}`);
    await Bun.sleep(100);
    await revoke();

    expect(at((await poll).body, "name")).toBe("invalid_authorization");
  });

  test("when its key expires", async () => {
    const { deployment } = site;
    const expiry = new Date(deployment.clock.now() + 60_000).toISOString().replace(/\.\d+Z$/, "Z");
    const { agent } = await revocable(expiry);
    const id = await pendingConsent(agent);
    const poll = agent.get(`/v1/auth/status?id=${id}&wait=${LONG_S}`);
    await Bun.sleep(100);
    deployment.clock.jump(120_000);

    expect((await poll).status).toBe(401);
    deployment.clock.jump(-120_000);
  });

  test("when its project is deleted", async () => {
    const { identity } = site.deployment.runtime;
    await identity.createProject(operator(), "gone", "Gone");
    const agent = api(site.url, await site.key("run", undefined, "gone"));
    await site.deployment.addProvider({}, "gone");
    const id = await pendingConsent(agent);
    const poll = agent.get(`/v1/auth/status?id=${id}&wait=${LONG_S}`);
    await Bun.sleep(100);
    await identity.deleteProject(operator(), "gone");

    expect((await poll).status).toBe(401);
  });
});

test("a running tool is stopped, and the caller gets 401", async () => {
  const { agent, revoke } = await revocable();
  const tool = hangingTool();
  const call = agent.post("/v1/tools/execute", { tool_name: "Test.Act", user_id: "alice" });
  await tool.started;
  await revoke();
  await tool.stopped;

  expect((await call).status).toBe(401);
});

test.each(["application/json", "application/json, text/event-stream"])(
  "a running tool at a gateway is stopped (%s)",
  async (accept) => {
    const { key, revoke } = await revocable();
    const tool = hangingTool();
    const call = post(gateway, request("tools/call", { name: "Test_Act", arguments: {} }), {
      key,
      user: "alice",
      headers: { accept },
    });
    await tool.started;
    await revoke();
    await tool.stopped;

    expect((await call).text).not.toContain("done");
  },
);

test("the stream of a running tool ends without a result", async () => {
  const { key, revoke } = await revocable();
  const tool = hangingTool();
  const call = request("tools/call", { name: "Test_Act", arguments: {} });
  const response = await send(gateway, call, { key, user: "alice" });
  await tool.started;
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await revoke();

  expect(await response.text()).not.toContain("data:");
});

test.each([
  ["a chat completion", "/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }] }],
  ["a response", "/v1/responses", { input: "Hello" }],
])("the stream of %s ends with an error", async (_name, path, body) => {
  const { key, revoke } = await revocable();
  const response = await fetch(site.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, ...body }),
  });
  const reader = (response.body ?? new Blob().stream()).getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toContain("Hello");
  await revoke();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read())
    rest += new TextDecoder().decode(next.value);

  expect(rest).toContain('"error"');
  expect(rest).not.toContain("[DONE]");
  expect(rest).not.toContain("response.completed");
});

test("a session is refused with its next message", async () => {
  const { key, revoke } = await revocable();
  const alice = client(gateway, { key, user: "alice" });
  const { session } = await alice.initialize();
  const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  expect((await alice.legacy("tools/list", {}, headers)).status).toBe(200);
  await revoke();

  expect((await alice.legacy("tools/list", {}, headers)).status).toBe(401);
});

test("a body that is still on its way is refused at its end", async () => {
  const { key, revoke } = await revocable();
  const body = JSON.stringify({ tool_name: "Test.Call", user_id: "alice" });
  const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
  const answer = Promise.withResolvers<string>();
  socket.on("data", (bytes) => answer.resolve(String(bytes)));
  socket.write(
    `POST /v1/tools/execute HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // A later request shows that the first part has been received.
  await api(site.url, key).get("/v1/tools");
  await revoke();
  socket.write(body.slice(10));

  expect(await answer.promise).toStartWith("HTTP/1.1 401 ");
  socket.destroy();
});

test("a scheduled run fails", async () => {
  const { agent, revoke } = await revocable();
  let runs = 0;
  site.deployment.test.act = async () => {
    runs += 1;
    return { done: true };
  };
  const { now } = site.deployment.clock;
  const run_at = new Date(now() + 60_000).toISOString().slice(0, 19);
  const planned = await agent.post("/v1/tools/execute", { tool_name: "Test.Act", user_id: "alice", run_at });
  await revoke();
  site.deployment.clock.move(61_000);
  const admin = api(site.url, await site.key("admin"));
  const look = async () => (await admin.get(`/v1/scheduled_tools/${String(at(planned.body, "id"))}`)).body;
  while (at(await look(), "execution_status") !== "failed") await Bun.sleep(50);

  expect(runs).toBe(0);
});
