// `runtime mcp` as a client starts it: a process that prints only messages to its standard output.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/base";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";

let chat: ChatSandbox;
let installation: Installation;
beforeAll(async () => {
  chat = await startChatSandbox();
  installation = new Installation(chat);
  // The port of the redirect address; the tests of this file run one at a time.
  installation.environment["RUNTIME_PORT"] = String(freePort());
  await installation.addChatProvider(chat);
  await installation.json(["gateways", "create", "Pipe", "--slug", "pipe", "--toolkit", "Chat"]);
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await chat.stop();
});

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } },
};

/** The process, and its responses to requests. */
function start(...args: string[]) {
  return startIn({}, ...args);
}

function startIn(more: Record<string, string>, ...args: string[]) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "..", "..", "cli", "main.ts"), "mcp", ...args],
    {
      env: { ...installation.environment, ...more },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const messages: JsonObject[] = [];
  const over = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message: JsonObject = JSON.parse(line);
        messages.push(message);
        waiting.get(message["id"])?.(message);
      }
    }
    return rest;
  })();
  let last = 0;
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.flush();
  };
  const ask = (method: string, params: object = {}): Promise<JsonObject> => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    waiting.set(id, resolve);
    send({ id, method, params });
    return promise;
  };
  const end = async () => {
    child.stdin.end();
    return { rest: await over, code: await child.exited, stderr: await child.stderr.text(), messages };
  };
  return { ask, send, end, child };
}

test("supports both protocol families and exits at the end of its input", async () => {
  const { ask, send, end, child } = start("--gateway", "pipe", "--user", "alice");
  const begun = await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
  expect(at(begun, "result.serverInfo.name")).toBe("pipe");
  send({ method: "notifications/initialized" });
  expect(at(await ask("tools/list"), "result.tools.0.name")).toBe("Chat_GetConversationMetadata");
  expect(at(await ask("server/discover", { _meta: MODERN }), "result.supportedVersions.0")).toBe(
    "2026-07-28",
  );
  expect(at(await ask("tools/call", { name: "No_Such" }), "error.code")).toBe(-32602);
  child.stdin.write("broken\n\n");
  const { rest, code, stderr, messages } = await end();
  expect([rest, code, stderr]).toEqual(["", 0, ""]);
  expect(at(messages.at(-1), "error.code")).toBe(-32700);
}, 30_000);

test("requests a consent, waits for it with a temporary server, and runs the tool", async () => {
  const { ask, end } = start("--gateway", "pipe", "--user", "alice");
  const call = { name: "Chat_WhoAmI", arguments: {}, _meta: MODERN };
  const response = await ask("tools/call", call);
  expect(at(response, "result.resultType")).toBe("input_required");
  const again = ask("tools/call", {
    ...call,
    requestState: at(response, "result.requestState"),
    inputResponses: { authorization: { action: "accept" } },
  });
  await new Browser().consent(String(at(response, "result.inputRequests.authorization.params.url")), "alice");
  expect(at(await again, "result.structuredContent.username")).toBe("alice");
  expect((await end()).code).toBe(0);
}, 30_000);

test("sends no response to a cancelled call, in both families", async () => {
  const { ask, send, end } = start("--gateway", "pipe", "--user", "alice");
  chat.fail("users.info", { kind: "delay", ms: 1500 });
  void ask("tools/call", { name: "Chat_WhoAmI", arguments: {}, _meta: MODERN });
  while (chat.calls("users.info") === 0) await Bun.sleep(5);
  send({ method: "notifications/cancelled", params: { requestId: 1 } });
  await ask("tools/list");
  const { messages } = await end();
  expect(messages.map(({ id }) => id)).toEqual([2]);
}, 30_000);

test("relays messages to a server, in both families, with streams and errors", async () => {
  await using server = await installation.serve();
  const key = await installation.key("run");
  const { ask, send, end } = startIn(
    { RUNTIME_API_KEY: key },
    "--gateway",
    "pipe",
    "--user",
    "relayed",
    "--server",
    server.address,
  );
  const begun = await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: { url: {} } },
  });
  expect(at(begun, "result.serverInfo.name")).toBe("pipe");
  send({ method: "notifications/initialized" });
  expect(at(await ask("tools/list"), "result.tools.0.name")).toBe("Chat_GetConversationMetadata");
  // The server knows the client's elicitation capability only by the session.
  expect(at(await ask("tools/call", { name: "Chat_WhoAmI" }), "error.code")).toBe(-32042);
  const call = { name: "Chat_WhoAmI", arguments: {}, _meta: MODERN };
  const response = await ask("tools/call", call);
  const again = ask("tools/call", {
    ...call,
    requestState: at(response, "result.requestState"),
    inputResponses: { authorization: { action: "accept" } },
  });
  await new Browser().consent(String(at(response, "result.inputRequests.authorization.params.url")), "alice");
  expect(at(await again, "result.structuredContent.username")).toBe("alice");
  expect((await end()).code).toBe(0);

  const nowhere = startIn(
    { RUNTIME_API_KEY: key },
    "--gateway",
    "nowhere",
    "--user",
    "relayed",
    "--server",
    server.address,
  );
  expect(at(await nowhere.ask("ping"), "error.message")).toContain("no gateway at this address");
  expect((await nowhere.end()).code).toBe(0);
}, 30_000);

test("relays for exactly one user, also with non-ASCII letters", async () => {
  await using server = await installation.serve();
  const user = "Ã©李";
  const { ask, end } = startIn(
    { RUNTIME_API_KEY: await installation.key("run") },
    "--gateway",
    "pipe",
    "--user",
    user,
    "--server",
    server.address,
  );
  const call = { name: "Chat_WhoAmI", arguments: {}, _meta: MODERN };
  const response = await ask("tools/call", call);
  expect(at(response, "result.resultType")).toBe("input_required");
  await new Browser().consent(String(at(response, "result.inputRequests.authorization.params.url")), "alice");
  expect(at(await ask("tools/call", call), "result.structuredContent.username")).toBe("alice");
  expect((await end()).code).toBe(0);
  expect(JSON.stringify(await installation.json(["connections", "list"]))).toContain(user);
}, 30_000);

test("answers each request even if its gateway has been deleted", async () => {
  await installation.json(["gateways", "create", "Brief", "--slug", "brief", "--toolkit", "Chat"]);
  const { ask, send, end } = start("--gateway", "brief", "--user", "alice");
  await ask("ping");
  await installation.run(["gateways", "delete", "brief", "--yes"]);
  send({ method: "notifications/initialized" });
  expect(at(await ask("ping"), "error.message")).toContain("gateway no longer exists");
  expect((await end()).messages).toHaveLength(2);
}, 30_000);

test("refuses every request while the user is suspended", async () => {
  const { ask, end } = start("--gateway", "pipe", "--user", "zoe");
  await ask("ping");
  await installation.run(["users", "suspend", "zoe"]);
  const refused = [await ask("tools/list"), await ask("tools/call", { name: "Chat_WhoAmI", _meta: MODERN })];
  await installation.run(["users", "resume", "zoe"]);
  const after = await ask("tools/list");
  await end();

  for (const reply of refused) expect(at(reply, "error.message")).toContain("This user is suspended.");
  expect(at(after, "result.tools.0.name")).toBe("Chat_GetConversationMetadata");
}, 30_000);

test.each<[string, string[], number]>([
  ["without a gateway", ["--user", "alice"], 2],
  ["without a user", ["--gateway", "pipe"], 2],
  ["for an unknown gateway", ["--gateway", "nowhere", "--user", "alice"], 3],
])("exits with an error %s", async (_how, args, code) => {
  const ended = await start(...args).end();
  expect([ended.code, ended.messages]).toEqual([code, []]);
  expect(ended.stderr).not.toBe("");
});
