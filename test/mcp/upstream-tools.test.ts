// Tools of MCP servers at a gateway: clients see what they would see at the server itself.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { client, type McpSite, startMcpSite, valueAt } from "./site";
import { upstream } from "./upstream-catalog";

const WHOLE: JsonObject = {
  name: "make-all",
  title: "Makes all",
  description: "Makes everything.",
  inputSchema: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { count: { type: "number" }, free: true },
    additionalProperties: true,
  },
  annotations: { title: "All", readOnlyHint: true, "x-other": 1 },
  icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
  execution: { taskSupport: "optional" },
  _meta: { "example.com/group": "a", "io.modelcontextprotocol/related-task": { taskId: "1" } },
  "x-future": { a: [1] },
};
const BROKEN: JsonObject = {
  name: "broken",
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: "yes", destructiveHint: false },
  icons: [{ href: "x" }],
  execution: { taskSupport: "perhaps" },
  title: 7,
};
const PROMISES: JsonObject = {
  name: "promises",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
};
const LISTS: JsonObject = {
  name: "lists",
  inputSchema: { type: "object" },
  outputSchema: { type: "array", items: { type: "integer" } },
};

const server = upstream("Kit", { tools: [WHOLE, BROKEN, PROMISES, LISTS] });
let site: McpSite;
let key: string;
let url: string;
beforeAll(async () => {
  site = await startMcpSite({
    catalogs: [server.catalog],
    environment: { RUNTIME_MCP_MAX_RESULT_BYTES: "4000" },
  });
  key = await site.key();
  url = await site.gateway("kit");
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  server.asked.length = 0;
  server.answer = () => ({ content: [] });
});

const families = ["legacy", "modern"] as const;
const user = () => client(url, { key, user: "alice" });

async function listed(family: (typeof families)[number], name: string): Promise<JsonObject | undefined> {
  const tools = valueAt(await user()[family]("tools/list"), "result.tools") as JsonObject[];
  return tools.find((tool) => tool["name"] === name);
}

async function call(
  family: (typeof families)[number],
  name: string,
  params: object = {},
): Promise<JsonObject> {
  const answer = await user()[family]("tools/call", { name, ...params });
  return answer.messages.at(-1) ?? {};
}

const RESULT: JsonObject = {
  content: [
    {
      type: "text",
      text: "a",
      annotations: { audience: ["user"], priority: 0.5 },
      _meta: { "example.com/a": 1 },
    },
    { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
    { type: "audio", data: "aGVsbG8=", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "demo://1", mimeType: "text/plain", text: "hello" } },
    { type: "resource_link", uri: "demo://2", name: "two", icons: [{ src: "https://example.com/i" }] },
  ],
  structuredContent: { deep: { list: [1, null, "x"] } },
  "x-future": { a: 1 },
};

describe.each(families)("in the %s family", (family) => {
  test("a tool is listed with the members that its server sent", async () => {
    const { name: _, description, _meta: _keys, ...rest } = WHOLE;
    const schema = rest["inputSchema"] as JsonObject;
    expect(await listed(family, "Kit_make_all")).toEqual({
      ...rest,
      name: "Kit_make_all",
      description: description ?? "",
      // Clients of older revisions refuse a list with a schema of `true`.
      inputSchema:
        family === "modern" ? schema : { ...schema, properties: { count: { type: "number" }, free: {} } },
      _meta: { "example.com/group": "a" },
    });
  });

  test("a member of a wrong type is left out of the list", async () => {
    expect(await listed(family, "Kit_broken")).toEqual({
      name: "Kit_broken",
      inputSchema: { type: "object" },
      annotations: { destructiveHint: false },
    });
  });

  test("an output schema is listed if the revision has such", async () => {
    expect((await listed(family, "Kit_promises"))?.["outputSchema"]).toEqual(PROMISES["outputSchema"]);
    expect((await listed(family, "Kit_lists"))?.["outputSchema"]).toEqual(
      family === "modern" ? LISTS["outputSchema"] : undefined,
    );
  });

  test("a result is passed on as its server sent it", async () => {
    server.answer = () => ({
      ...RESULT,
      _meta: { "example.com/trace": "t", progressToken: 7 },
      isError: false,
    });
    const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
    const { _meta, resultType: _type, ...rest } = result;
    expect(rest).toEqual({ ...RESULT, isError: false });
    expect(_meta).toMatchObject({ "example.com/trace": "t" });
    expect(_meta).not.toHaveProperty("progressToken");
  });

  test("a failure is passed on as its server sent it", async () => {
    server.answer = () => ({ ...RESULT, isError: true });
    const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
    expect(result).toMatchObject({ ...RESULT, isError: true });
  });

  test("a result without structured content gets none", async () => {
    server.answer = () => ({ content: [{ type: "text", text: '{"a":1}' }] });
    const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
    expect(result).not.toHaveProperty("structuredContent");
    expect(result["content"]).toEqual([{ type: "text", text: '{"a":1}' }]);
  });

  test("a result that breaks the listed schema keeps its content only", async () => {
    server.answer = () => ({ content: [{ type: "text", text: "kept" }], structuredContent: { a: "x" } });
    const { result } = (await call(family, "Kit_promises")) as { result: JsonObject };
    expect(result).toMatchObject({ content: [{ type: "text", text: "kept" }], isError: true });
    expect(result).not.toHaveProperty("structuredContent");
    server.answer = () => ({ content: [], structuredContent: { a: "x" } });
    const bare = (await call(family, "Kit_promises")) as { result: JsonObject };
    expect(bare.result["content"]).toEqual([{ type: "text", text: '{"a":"x"}' }]);
  });

  test("structured content of any type is for the newer revision only", async () => {
    server.answer = () => ({ content: [{ type: "text", text: "[1]" }], structuredContent: [1] });
    const { result } = (await call(family, "Kit_lists")) as { result: JsonObject };
    expect(result["structuredContent"]).toEqual(family === "modern" ? [1] : undefined);
    expect(result["content"]).toEqual([{ type: "text", text: "[1]" }]);
    expect(result["isError"]).toBeUndefined();
  });

  test("an error is passed on with its code and data", async () => {
    const error = { code: -32602, message: "Unknown tool: x", data: { hint: "y" } };
    server.answer = () => ({ error });
    expect((await call(family, "Kit_make_all"))["error"]).toEqual(error);
  });

  test.each([-32001, -32020, -32022, -32600, -32700])(
    "an error of the connection is not: %d",
    async (code) => {
      server.answer = () => ({ error: { code, message: "about the connection" } });
      const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result["content"])).toContain("about the connection");
    },
  );

  test("a large text is cut, and says so", async () => {
    server.answer = () => ({ content: [{ type: "text", text: "a".repeat(9000) }] });
    const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
    const content = result["content"] as { text: string }[];
    expect(content[0]?.text).toMatch(/^a{100}/);
    expect(content[1]?.text).toContain("4000 bytes");
    expect(result["_meta"]).toMatchObject({ truncated: true });
  });

  test("a large image is replaced by a sentence", async () => {
    server.answer = () => ({ content: [{ type: "image", data: "a".repeat(9000), mimeType: "image/png" }] });
    const { result } = (await call(family, "Kit_make_all")) as { result: JsonObject };
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result).length).toBeLessThan(1500);
    expect(JSON.stringify(result["content"])).toContain("4000 bytes");
  });

  test("progress is told with its message", async () => {
    server.answer = (_method, _params, { caller }) => {
      caller?.progress(1, 2, "half");
      return { content: [] };
    };
    const answer = await user()[family]("tools/call", {
      name: "Kit_make_all",
      _meta: { progressToken: "p" },
    });
    expect(answer.messages[0]).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, total: 2, message: "half" },
    });
  });
});

test("an address to open is passed to a client that opens addresses, and is text for others", async () => {
  const elicitations = [
    { mode: "url", elicitationId: "e1", url: "https://example.com/go", message: "Open it" },
  ];
  const error = { code: -32042, message: "Open https://example.com/go", data: { elicitations } };
  server.answer = () => ({ error });
  const { session } = await user().initialize({ elicitation: { url: {} } });
  const direct = await user().legacy("tools/call", { name: "Kit_make_all" }, { "mcp-session-id": session });
  expect(direct.messages.at(-1)?.["error"]).toEqual(error);
  const { result } = (await call("legacy", "Kit_make_all")) as { result: JsonObject };
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result["content"])).toContain("https://example.com/go");
});

test("a link becomes text for a client of the first revision, which refuses links", async () => {
  server.answer = () => ({ content: [{ type: "resource_link", uri: "demo://2", name: "two" }] });
  const { session } = await user().initialize({}, "2025-03-26");
  const answer = await user().legacy("tools/call", { name: "Kit_make_all" }, { "mcp-session-id": session });
  expect(valueAt(answer, "result.content")).toEqual([{ type: "text", text: "two: demo://2" }]);
});

test("the headers that the gateway names reach the tool, and no others", async () => {
  const passing = await site.gateway("passing", { allowed_passthrough_headers: ["X-Tenant", "x-absent"] });
  const headers = { "x-tenant": "blue", "x-other": "red", cookie: "a=b" };
  await client(passing, { key, user: "alice", headers }).legacy("tools/call", { name: "Kit_make_all" });
  await client(url, { key, user: "alice", headers }).legacy("tools/call", { name: "Kit_make_all" });
  expect(server.asked.map((request) => request.headers)).toEqual([{ "x-tenant": "blue" }, {}]);
});
