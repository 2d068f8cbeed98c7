// Tools of MCP servers at a gateway whose clients search: their results and questions are those of the server.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { at } from "../support/api";
import { client, type McpSite, post, send, startMcpSite, valueAt, request } from "./site";
import { upstream } from "./upstream-catalog";

const ENTRY = {
  name: "fetch",
  title: "Fetch it",
  description: "Fetches a parcel.",
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  _meta: { "example.org/color": "red" },
};
const server = upstream("Kit", {
  tools: [ENTRY, { name: "ask", description: "Asks.", inputSchema: { type: "object" } }],
  prompts: [{ name: "greet" }],
});

let site: McpSite;
let key: string;
let url: string;
beforeAll(async () => {
  site = await startMcpSite({ catalogs: [server.catalog] });
  key = await site.key();
  url = await site.gateway("kit", { tool_filter: { discovery: { enabled: true } } });
});
afterAll(() => site[Symbol.asyncDispose]());

const by = () => client(url, { key, user: "alice" });
const CALL = { name: "call_tool", arguments: { name: "Kit_fetch", arguments: { id: "1" } } };

test.each(["legacy", "modern"] as const)("a result passes member by member (%s)", async (family) => {
  const result = {
    content: [{ type: "text", text: "here", annotations: { priority: 1 } }],
    structuredContent: { parcel: 1 },
    isError: true,
  };
  server.answer = async () => result;

  expect(valueAt(await by()[family]("tools/call", CALL), "result")).toMatchObject(result);
  expect(server.asked.at(-1)?.params).toMatchObject({ name: "fetch", arguments: { id: "1" } });
});

test.each(["legacy", "modern"] as const)(
  "a tool is described as its server lists it (%s)",
  async (family) => {
    const answer = await by()[family]("tools/call", {
      name: "describe_tool",
      arguments: { name: "Kit_fetch" },
    });

    expect(valueAt(answer, "result.structuredContent")).toMatchObject({ ...ENTRY, name: "Kit_fetch" });
  },
);

test("prompts are listed as before", async () => {
  expect(valueAt(await by().legacy("prompts/list"), "result.prompts.0.name")).toContain("greet");
});

test("a question of the server reaches the client in the stream of the call", async () => {
  server.answer = async (_method, _params, { caller }) => {
    const answer = await caller?.ask?.({ method: "elicitation/create", params: { message: "Which?" } });
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  };
  const { session } = await by().initialize({ elicitation: {} });
  const headers = { "mcp-session-id": session };
  const call = request("tools/call", { name: "call_tool", arguments: { name: "Kit_ask" } });
  const stream = messages(await send(url, call, { key, user: "alice", headers }));
  const question = (await stream.next()).value ?? {};
  const reply = { jsonrpc: "2.0", id: question["id"], result: { action: "accept", content: {} } };
  await post(url, reply, { key, user: "alice", headers });
  const answer = (await stream.next()).value;

  expect(question["method"]).toBe("elicitation/create");
  expect(at(answer, "result.content.0.text")).toBe('{"action":"accept","content":{}}');
});

/** The messages of a streamed answer, as they come. */
async function* messages(response: Response): AsyncGenerator<JsonObject> {
  let rest = "";
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}
