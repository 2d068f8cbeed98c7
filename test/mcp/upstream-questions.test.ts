// Questions of MCP servers to clients of revisions until 2025-11-25: sent in the stream of the call, answered by another message.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { client, type McpSite, post, request, send, startMcpSite } from "./site";
import { upstream } from "./upstream-catalog";

const server = upstream("Kit", { tools: [{ name: "ask", inputSchema: { type: "object" } }] });
const QUESTION = { message: "Which one?", requestedSchema: { type: "object", properties: {} } };

let site: McpSite;
let key: string;
let url: string;
beforeAll(async () => {
  site = await startMcpSite({ catalogs: [server.catalog] });
  key = await site.key();
  url = await site.gateway("kit");
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer = async (_method, _params, { caller }) => {
    if (caller?.ask === undefined) return { content: [{ type: "text", text: "cannot ask" }] };
    const answer = await caller.ask({ method: "elicitation/create", params: QUESTION });
    return { content: [{ type: "text", text: JSON.stringify([caller.capabilities, answer]) }] };
  };
});

const by = (user: string) => ({ key, user });
const CALL = request("tools/call", { name: "Kit_ask" });

async function session(capabilities: object, version?: string): Promise<Record<string, string>> {
  const started = await client(url, by("alice")).initialize(capabilities, version);
  return { "mcp-session-id": started.session };
}

/** The messages of a streamed answer, as they come. */
async function* messages(response: Response): AsyncGenerator<JsonObject> {
  let rest = "";
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}

/** Sends the call, and answers its question. */
async function asked(headers: Record<string, string>, reply: object): Promise<[JsonObject, unknown]> {
  const stream = messages(await send(url, CALL, { ...by("alice"), headers }));
  const question = (await stream.next()).value ?? {};
  const answer = { jsonrpc: "2.0", id: question["id"], ...reply };
  expect((await post(url, answer, { ...by("alice"), headers })).status).toBe(202);
  return [question, (await stream.next()).value];
}

const textIn = (message: unknown): string =>
  (message as { result: { content: { text: string }[] } }).result.content[0]?.text ?? "";

test("the client gets the question, and the server the answer", async () => {
  const headers = await session({ elicitation: {} });
  const result = { action: "accept", content: { which: "this" } };
  const [question, answer] = await asked(headers, { result });
  expect(question).toMatchObject({ method: "elicitation/create", params: QUESTION });
  expect(JSON.parse(textIn(answer))).toEqual([{ elicitation: { form: {} } }, result]);
});

test("a client that answers with an error ends the call with a failure", async () => {
  const headers = await session({ elicitation: {} });
  const [, answer] = await asked(headers, { error: { code: -1, message: "no window" } });
  expect(answer).toMatchObject({ result: { isError: true } });
});

test("only the user of the session can answer", async () => {
  const headers = await session({ elicitation: {} });
  const stream = messages(await send(url, CALL, { ...by("alice"), headers }));
  const question = (await stream.next()).value ?? {};
  const reply = (content: string) => ({
    jsonrpc: "2.0",
    id: question["id"],
    result: { action: "accept", content: { by: content } },
  });
  const foreign = await post(url, reply("mallory"), { ...by("mallory"), headers });
  expect(foreign.status).toBe(404);
  const own = { ...by("mallory"), headers: await sessionOf("mallory") };
  expect((await post(url, reply("mallory"), own)).status).toBe(202);
  await post(url, reply("alice"), { ...by("alice"), headers });
  expect(textIn((await stream.next()).value)).toContain('"by":"alice"');
});

async function sessionOf(user: string): Promise<Record<string, string>> {
  const started = await client(url, by(user)).initialize({ elicitation: {} });
  return { "mcp-session-id": started.session };
}

test.each<[string, () => Promise<Record<string, string>>]>([
  ["has not said that it can ask", () => session({})],
  ["has a revision without questions", () => session({ elicitation: {} }, "2025-03-26")],
  ["takes no stream", async () => ({ ...(await session({ elicitation: {} })), accept: "application/json" })],
  ["has no session", async () => ({})],
])("a client that %s is not asked", async (_what, headersOf) => {
  const answer = await post(url, CALL, { ...by("alice"), headers: await headersOf() });
  expect(textIn(answer.messages.at(-1))).toBe("cannot ask");
});

test("a call that ends has no open questions", async () => {
  const headers = await session({ elicitation: {} });
  const ended = Promise.withResolvers<unknown>();
  server.answer = async (_method, _params, { caller }) => {
    caller?.ask?.({ method: "elicitation/create", params: QUESTION }).catch(ended.resolve);
    return { content: [] };
  };
  await post(url, CALL, { ...by("alice"), headers });
  expect(String(await ended.promise)).toContain("has ended");
});
