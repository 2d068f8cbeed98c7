// What becomes of the result of a tool of an MCP server: for clients of gateways, and for everybody else.
import { describe, expect, test } from "bun:test";
import { ToolError } from "../../../src/tools";
import type { LoadedWorker, WorkerTool } from "../../../src/workers/tool";
import { Upstream } from "../../support/mcp-upstream";
import { kindOf, MAX_RESULT_BYTES, ran, storedTool, workerAt } from "./worker";

const FAMILIES = ["legacy", "modern"] as const;

async function outputOf(
  result: Record<string, unknown>,
  { tool = {}, worker = {}, family = "modern" }: Options = {},
): Promise<{ value: unknown; original: unknown; logs: string[] }> {
  await using server = new Upstream({ family, methods: { "tools/call": () => result } });
  const logs: string[] = [];
  const context = { log: (_level: string, message: string) => logs.push(message) };
  const { value, original } = await ran(
    kindOf(),
    workerAt(server.url, worker),
    storedTool("t", tool),
    {},
    { context },
  );
  return { value, original, logs };
}

interface Options {
  tool?: Partial<WorkerTool>;
  worker?: Partial<LoadedWorker>;
  family?: "legacy" | "modern";
}

const text = (value: string) => ({ type: "text", text: value });

describe("the value", () => {
  test.each([
    ["structured content", { content: [text("x")], structuredContent: { a: 1 } }, { a: 1 }],
    ["structured content without content", { content: [], structuredContent: { a: 1 } }, { a: 1 }],
    ["structured content that is a list", { content: [], structuredContent: [1, 2] }, [1, 2]],
    ["structured content that is null", { content: [], structuredContent: null }, null],
    ["a text", { content: [text("hello")] }, "hello"],
    ["a text with an object", { content: [text('{"a":1}')] }, { a: 1 }],
    ["a text with a list", { content: [text(" [1,2]")] }, [1, 2]],
    ["a text with a number", { content: [text("42")] }, "42"],
    ["a text that only begins like JSON", { content: [text("{not json")] }, "{not json"],
    ["two texts", { content: [text("a"), text("b")] }, { content: [text("a"), text("b")] }],
    ["no content", { content: [] }, { content: [] }],
    ["no content member", {}, { content: [] }],
    ["long integers", { content: [text('{"id":12345678901234567890}')] }, { id: "12345678901234567890" }],
    [
      "an image",
      {
        content: [
          {
            type: "image",
            data: "AAAA",
            mimeType: "image/png",
            annotations: { priority: 1 },
            _meta: { a: 1 },
          },
        ],
      },
      { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
    ],
    [
      "an embedded resource",
      {
        content: [{ type: "resource", resource: { uri: "a://b", blob: "AAAA", mimeType: "x/y", _meta: {} } }],
      },
      { content: [{ type: "resource", resource: { uri: "a://b", blob: "AAAA", mimeType: "x/y" } }] },
    ],
    [
      "a link",
      { content: [{ type: "resource_link", uri: "a://b", name: "B" }] },
      { content: [{ type: "resource_link", uri: "a://b", name: "B" }] },
    ],
  ])("of %s", async (_what, result, value) => {
    for (const family of FAMILIES) expect((await outputOf(result, { family })).value).toEqual(value);
  });

  test("leaves out data that is too large, and says so", async () => {
    const data = "A".repeat(MAX_RESULT_BYTES + 1);

    const { value, original } = await outputOf({ content: [{ type: "image", data, mimeType: "image/png" }] });

    expect(value).toEqual({
      content: [
        { type: "image", mimeType: "image/png", omitted: expect.stringContaining("mcp.max_result_bytes") },
      ],
    });
    expect(original).toMatchObject({ content: [{ data }] });
  });
});

describe("clients of gateways", () => {
  const whole = {
    content: [
      { type: "text", text: "a", annotations: { audience: ["user"] }, _meta: { "com.example/a": 1 } },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a://b", text: "b" } },
      { type: "new kind", anything: [1] },
    ],
    structuredContent: { a: { b: [1, null] } },
    _meta: { "com.example/b": { c: 2 } },
    another: "member",
  };

  test("get the result member by member", async () => {
    for (const family of FAMILIES) expect((await outputOf(whole, { family })).original).toEqual(whole);
  });

  test("get nothing of the connection to the server", async () => {
    const { original } = await outputOf({
      ...whole,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "x" }, "com.example/b": 1 },
    });

    expect(original).toEqual({ ...whole, _meta: { "com.example/b": 1 } });
  });
});

describe("a failure of the tool", () => {
  test("is a failure with its text, and goes to clients of gateways as it is", async () => {
    const result = { content: [text("no such file"), text("try another")], isError: true, _meta: { a: 1 } };

    const failed = outputOf(result, { tool: { output: { type: "object", required: ["a"] } } });

    await expect(failed).rejects.toBeInstanceOf(ToolError);
    await expect(failed).rejects.toMatchObject({
      kind: "TOOL_RUNTIME_FATAL",
      message: "no such file\ntry another",
      canRetry: false,
      details: { answered: { result } },
    });
  });

  test("may have no text", async () => {
    await expect(outputOf({ content: [], isError: true })).rejects.toThrow("no reason");
  });
});

describe("a result that breaks the output schema", () => {
  const tool = { output: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } };

  test.each([
    ["of another form", { content: [text("x")], structuredContent: { a: "1" } }, { a: "1" }],
    ["without structured content", { content: [text("x")] }, "x"],
  ])("%s is passed on, and the log says so", async (_what, result, value) => {
    const output = await outputOf(result, { tool });

    expect([output.value, output.logs]).toEqual([value, [expect.stringContaining("output schema")]]);
  });

  test("is a failure where the record wants it", async () => {
    const failed = outputOf(
      { content: [], structuredContent: {} },
      { tool, worker: { strictResults: true } },
    );

    await expect(failed).rejects.toMatchObject({ kind: "TOOL_RUNTIME_BAD_OUTPUT_VALUE", canRetry: false });
  });

  test("is not seen in one that follows it", async () => {
    expect((await outputOf({ content: [], structuredContent: { a: 1 } }, { tool })).logs).toEqual([]);
  });
});

describe("the tools for resources and prompts", () => {
  test("read a resource", async () => {
    const contents = [{ uri: "a://b", mimeType: "text/plain", text: "hi", _meta: { x: 1 } }];
    await using server = new Upstream({ methods: { "resources/read": () => ({ contents }) } });
    const tool = storedTool("resources/read", { reserved: "resource", name: "ReadResource" });

    const { value, original } = await ran(kindOf(), workerAt(server.url), tool, { uri: "a://b" });

    expect(value).toEqual({ contents: [{ uri: "a://b", mimeType: "text/plain", text: "hi" }] });
    expect(original).toEqual({ contents });
    expect(server.calls("resources/read")[0]?.params).toEqual({ uri: "a://b" });
  });

  test("get a prompt", async () => {
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
    await using server = new Upstream({ methods: { "prompts/get": () => ({ description: "d", messages }) } });
    const tool = storedTool("prompts/get", { reserved: "prompt", name: "GetPrompt" });
    const input = { name: "p", arguments: { a: "1" } };

    const { value, original } = await ran(kindOf(), workerAt(server.url), tool, input);

    expect([value, original]).toEqual([
      { description: "d", messages },
      { description: "d", messages },
    ]);
    expect(server.calls("prompts/get")[0]?.params).toEqual(input);
  });
});
