// The tools of a gateway: list, order, format, names and invalid tools.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TSchema, Type } from "typebox";
import type { JsonObject } from "../../src/base";
import { type Catalog, defineTool, type ToolDefinition } from "../../src/tools";
import { at } from "../support/api";
import { client, type McpSite, valueAt, startMcpSite } from "./site";

const LONG = "DoesSomethingWithAVeryLongNameThatNoModelApiWouldTakeAsItStandsHere";

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  ...defineTool({
    name,
    description: `Does ${name}.`,
    input: Type.Object({}),
    output: Type.Unknown(),
    metadata: {
      behavior: {
        operations: ["read"],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
      },
    },
    run: async () => ({ ran: name }),
  }),
  ...more,
});
const kit = (name: string, tools: ToolDefinition[]): Catalog => ({
  toolkit: { name, description: "Tools of this test.", version: "1.0.0" },
  bases: {},
  tools,
});

// A schema that cannot be serialized: a list with it could not be sent.
const unwritable: { self?: unknown } & JsonObject = {};
Object.assign(unwritable, { self: unwritable });

const catalogs: Catalog[] = [
  kit("Long", [tool(`${LONG}1`), tool(`${LONG}2`), tool("With.Dots"), tool("short")]),
  kit("Bad", [
    tool("Broken", { input: Type.Object({}, { "x-broken": unwritable }) }),
    tool("Fine", { output: Type.Object({ ran: Type.String() }) }),
    tool("Text", { run: async () => 'plain "text"', output: Type.String() }),
    tool("List", { run: async () => [1, 2], output: Type.Array(Type.Integer()) }),
    tool("Nothing", { run: async () => undefined }),
    tool("Liar", { output: Type.Object({ promised: Type.String() }) as TSchema }),
    tool("Header", {
      input: Type.Object({
        region: Type.Optional(Type.String({ "x-mcp-header": "Region" })),
        count: Type.Optional(Type.Integer({ "x-mcp-header": "Count" })),
      }),
      run: async (input) => ({ ...input }),
    }),
  ]),
  kit(
    "Many",
    Array.from({ length: 230 }, (_, index) => tool(`T${String(index).padStart(3, "0")}`)),
  ),
];

let site: McpSite;
let key: string;
beforeAll(async () => {
  site = await startMcpSite({ catalogs });
  key = await site.key();
});
afterAll(() => site[Symbol.asyncDispose]());

interface Listed {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: JsonObject;
}

/** All pages of a gateway with these tools, or with all tools. */
async function list(
  slug: string,
  allowed?: string[],
): Promise<{ tools: Listed[]; pages: number; url: string }> {
  const url = await site.gateway(
    slug,
    allowed === undefined ? {} : { tool_filter: { allowed_tools: allowed } },
  );
  const tools: Listed[] = [];
  let pages = 0;
  for (let cursor: unknown; ; pages++) {
    const answer = await client(url, { key, user: "alice" }).legacy("tools/list", { cursor });
    tools.push(...(valueAt(answer, "result.tools") as Listed[]));
    cursor = valueAt(answer, "result.nextCursor");
    if (cursor === undefined) return { tools, pages: pages + 1, url };
  }
}
const names = (tools: Listed[]): string[] => tools.map(({ name }) => name);

describe("the list", () => {
  test("has all tools of the deployment, on pages, in a stable order, each once [fault: tool-pages]", async () => {
    const { tools, pages } = await list("everything");
    expect(pages).toBe(3);
    const listed = names(tools);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((name) => name.startsWith("Many_"))).toEqual(
      Array.from({ length: 230 }, (_, index) => `Many_T${String(index).padStart(3, "0")}`),
    );
    expect(listed.at(-1)).toBe("Test_Old");
    const titles = tools.slice(0, -1).map(({ title }) => title);
    expect(titles).toEqual(titles.toSorted());
  });

  test("has exactly the tools of the filter, whatever their case", async () => {
    const { tools, url } = await list("some", ["test.ECHO", "Long.short", "No.Such"]);
    expect(names(tools)).toEqual(["Long_short", "Test_Echo"]);
    const run = (name: string) => client(url, { key, user: "alice" }).legacy("tools/call", { name });
    expect(valueAt(await run("Test_Echo"), "result.isError")).toBeUndefined();
    expect(valueAt(await run("Test_Act"), "error")).toEqual({ code: -32602, message: "tool not found" });
    expect(valueAt(await run("No_Such"), "error")).toEqual({ code: -32602, message: "tool not found" });
  });

  test("is empty if the filter is empty", async () => {
    expect((await list("none", [])).tools).toEqual([]);
  });

  test("changes with its gateway at once", async () => {
    const { url } = await list("changing", ["Test.Echo"]);
    const { gateways, identity } = site.deployment.runtime;
    const operator = await identity.operator("default");
    const id = (await gateways.list(operator, { limit: 100, offset: 0 })).items.find(
      ({ slug }) => slug === "changing",
    )?.id;
    await gateways.patch(operator, id ?? "", { tool_filter: { allowed_tools: ["Test.Act"] } });
    const answer = await client(url, { key, user: "alice" }).legacy("tools/list");
    expect(names(valueAt(answer, "result.tools") as Listed[])).toEqual(["Test_Act"]);
  });

  test("marks deprecated tools and names their replacement", async () => {
    const { tools } = await list("old", ["Test.Old", "Test.Echo"]);
    expect(names(tools)).toEqual(["Test_Echo", "Test_Old"]);
    expect(tools[1]?.description).toStartWith("Deprecated: use Test.Echo instead. ");
  });

  test("leaves out only the tool that cannot be listed [fault: broken-schema]", async () => {
    const { tools } = await list("bad", ["Bad.Broken", "Bad.Fine"]);
    expect(names(tools)).toEqual(["Bad_Fine"]);
    expect(site.deployment.logLines.some((line) => line.includes("Bad.Broken"))).toBe(true);
  });

  test.each(["made-up", "", Buffer.from("Many_T999").toString("base64url")])(
    "with the cursor %p is refused [fault: tool-pages]",
    async (cursor) => {
      const url = await site.gateway(`cursor-${cursor.length}`);
      const answer = await client(url, { key, user: "alice" }).legacy("tools/list", { cursor });
      expect(valueAt(answer, "error.code")).toBe(-32602);
    },
  );

  test("is refused with a cursor that is not a string", async () => {
    const url = await site.gateway("cursor-number");
    expect(
      valueAt(await client(url, { key, user: "alice" }).modern("tools/list", { cursor: 5 }), "error.code"),
    ).toBe(-32602);
  });
});

describe("a tool", () => {
  test("has annotations and both schemas", async () => {
    const { tools } = await list("shown", ["Bad.Fine", "Test.Act", "Bad.List"]);
    expect(tools.find(({ name }) => name === "Bad_Fine")).toEqual({
      name: "Bad_Fine",
      title: "Bad.Fine",
      description: "Does Fine.",
      inputSchema: expect.objectContaining({ type: "object" }),
      outputSchema: { type: "object", required: ["ran"], properties: { ran: { type: "string" } } },
      annotations: {
        title: "Bad.Fine",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
    expect(tools.find(({ name }) => name === "Test_Act")).not.toHaveProperty("outputSchema");
    // Clients until 2025-11-25 only accept object schemas.
    expect(tools.find(({ name }) => name === "Bad_List")).not.toHaveProperty("outputSchema");
  });

  test("has a name that models can use, which calls the right tool [fault: tool-names]", async () => {
    const { tools, url } = await list("names", [`Long.${LONG}1`, `Long.${LONG}2`, "Long.short"]);
    for (const { name, title } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const answer = await client(url, { key, user: "alice" }).legacy("tools/call", { name });
      expect(valueAt(answer, "result.structuredContent.ran")).toBe(title.split(".")[1]);
    }
    expect(new Set(names(tools)).size).toBe(3);
  });
});

describe("a result", () => {
  const run = async (name: string, family: "legacy" | "modern" = "legacy") => {
    const url = await site.gateway(`result-${name.toLowerCase()}-${family}`);
    return valueAt(
      await client(url, { key, user: "alice" })[family]("tools/call", { name: `Bad_${name}` }),
      "result",
    );
  };

  test("of text is that text", async () => {
    expect(await run("Text")).toEqual({ content: [{ type: "text", text: 'plain "text"' }] });
    expect(await run("Text", "modern")).toMatchObject({ structuredContent: 'plain "text"' });
  });

  test("of a list is structured if the revision supports it", async () => {
    expect(await run("List")).toEqual({ content: [{ type: "text", text: "[1,2]" }] });
    expect(await run("List", "modern")).toMatchObject({ structuredContent: [1, 2] });
  });

  test("of nothing is the text null", async () => {
    expect(await run("Nothing")).toEqual({ content: [{ type: "text", text: "null" }] });
  });

  test("that does not match its schema has no structured content", async () => {
    expect(await run("Liar")).toEqual({ content: [{ type: "text", text: '{"ran":"Liar"}' }], isError: true });
  });

  test("of a tool that fails is an error that the model can read", async () => {
    site.deployment.test.act = async () => {
      throw new Error("of its own");
    };
    const url = await site.gateway("fails");
    const answer = await client(url, { key, user: "alice" }).legacy("tools/call", { name: "Test_Act" });
    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(valueAt(answer, "result.content.0.text")).toContain("[TOOL_RUNTIME_FATAL]");
    expect(valueAt(answer, "result._meta.error")).toEqual({
      kind: "TOOL_RUNTIME_FATAL",
      can_retry: false,
      status_code: 500,
    });
  });

  test("of input that the tool refuses names the parameter", async () => {
    const url = await site.gateway("refuses");
    const call = { name: "Test_Echo", arguments: { texd: "x" } };
    const answer = await client(url, { key, user: "alice" }).legacy("tools/call", call);
    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(String(valueAt(answer, "result.content.0.text"))).toContain("text");
  });

  test("for null arguments is the same as without", async () => {
    const url = await site.gateway("nulls");
    const own = client(url, { key, user: "alice" });
    const answer = await own.legacy("tools/call", { name: "Test_Echo", arguments: null });
    expect(valueAt(answer, "result.structuredContent")).toEqual({});
    expect(valueAt(await own.legacy("tools/list", { cursor: null }), "result.tools.0.name")).toBe("Bad_Fine");
  });

  test.each<[string, object]>([
    ["arguments in a list", { name: "Test_Echo", arguments: [] }],
    ["no name", { arguments: {} }],
    ["a name that is a number", { name: 5 }],
  ])("for %s is an error of the call", async (what, params) => {
    const url = await site.gateway(`params-${what.length}`);
    const answer = await client(url, { key, user: "alice" }).legacy("tools/call", params);
    expect(valueAt(answer, "error.code")).toBe(-32602);
  });
});

describe("headers of revision 2026-07-28", () => {
  const call = async (params: JsonObject, headers: Record<string, string>) => {
    const answer = await client(`${site.url}/mcp/mirrored`, { key, user: "alice" }).modern(
      "tools/call",
      { name: "Bad_Header", ...params },
      { headers },
    );
    return [answer.status, valueAt(answer, "error.code") ?? valueAt(answer, "result.structuredContent")];
  };
  const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  beforeAll(async () => {
    await site.gateway("mirrored");
  });

  test.each<[string, JsonObject, Record<string, string>, unknown]>([
    ["nothing", {}, {}, {}],
    ["a plain text", { region: "us" }, { "mcp-param-region": "us" }, { region: "us" }],
    [
      "a text in Base64",
      { region: "Zürich" },
      { "mcp-param-region": base64("Zürich") },
      { region: "Zürich" },
    ],
    ["a text that looks like Base64", { region: "SGk=" }, { "mcp-param-region": "SGk=" }, { region: "SGk=" }],
    ["a number in another notation", { count: 42 }, { "mcp-param-count": "42.0" }, { count: 42 }],
  ])("that repeat %s are accepted", async (_what, given, headers, result) => {
    expect(await call({ arguments: given }, headers)).toEqual([200, result]);
  });

  test.each<[string, JsonObject, Record<string, string>]>([
    ["are missing", { region: "us" }, {}],
    ["differ", { region: "us" }, { "mcp-param-region": "eu" }],
    ["are not in the body", {}, { "mcp-param-region": "us" }],
    ["are wrong Base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
    ["are not Base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }],
    ["are an empty number", { count: 0 }, { "mcp-param-count": "" }],
    ["name another method", {}, { "mcp-method": "tools/list" }],
    ["name another tool", {}, { "mcp-name": "Test_Echo" }],
    ["name the method in another case", {}, { "mcp-method": "Tools/Call" }],
    ["name another revision", {}, { "mcp-protocol-version": "2025-11-25" }],
  ])("that %s are 400", async (_what, given, headers) => {
    expect(await call({ arguments: given }, headers)).toEqual([400, -32020]);
  });

  test("without the required members of the request are 400", async () => {
    const ask = (meta: JsonObject) =>
      client(`${site.url}/mcp/mirrored`, { key, user: "alice" }).modern("server/discover", { _meta: meta });
    const answer = await ask({ "io.modelcontextprotocol/clientCapabilities": null });
    expect([answer.status, at(answer.messages[0], "error.code")]).toEqual([400, -32602]);
  });
});
