// Tools as records, and in the forms that model vendors take.
import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "typebox";
import { extensions } from "../../catalogs";
import { fieldErrors } from "../../src/base";
import { RuntimeError } from "../../src/errors";
import { defineTool } from "../../src/tools";
import { ToolResponse } from "../../src/tools/schema";
import { toolRecord } from "../../src/tools/document";
import { formatOf, formatted } from "../../src/tools/formats";
import { FORMATS } from "../../src/tools/schema";
import { Registry } from "../../src/tools/registry";

const metadata = {
  behavior: {
    operations: ["read" as const],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: true,
  },
};
const full = defineTool({
  name: "Full",
  description: "Does everything.",
  input: Type.Object({
    text: Type.String({ description: "A text." }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 3 })),
    ratio: Type.Optional(Type.Number()),
    flag: Type.Optional(Type.Boolean()),
    kind: Type.Optional(Type.Enum(["a", "b"])),
    names: Type.Optional(Type.Array(Type.String())),
    kinds: Type.Optional(Type.Array(Type.Enum(["a", "b"]))),
    rows: Type.Optional(Type.Array(Type.Array(Type.Integer()))),
    open: Type.Optional(Type.Object({})),
    either: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  }),
  output: Type.Unknown(),
  authorization: { provider: "idp", scopes: ["a", "b"] },
  secrets: ["WORD"],
  metadata,
  run: async () => null,
});
const none = defineTool({
  name: "None",
  description: "Takes nothing.",
  input: Type.Object({}),
  output: Type.Unknown(),
  metadata,
  replacement: "Kit.Full",
  run: async () => null,
});
const { tools } = new Registry([
  {
    toolkit: { name: "Kit", description: "A kit.", version: "1.2.3" },
    bases: {},
    tools: [full, none],
  },
]);
const [fullTool, noneTool] = tools;
if (fullTool === undefined || noneTool === undefined) throw new Error("two tools");

describe("the result", () => {
  const outputOf = (output: TSchema) => {
    const [tool] = new Registry([
      {
        toolkit: { name: "Kit", description: "A kit.", version: "1" },
        bases: {},
        tools: [{ ...full, output }],
      },
    ]).tools;
    if (tool === undefined) throw new Error("There is one tool.");
    return toolRecord(tool).output;
  };

  test.each<[TSchema, string | undefined, string]>([
    [Type.Unknown(), undefined, "json"],
    [Type.String({ description: "The text" }), "String: The text.", "string"],
    [Type.Array(Type.Integer()), "List of integer.", "array"],
    [
      Type.Object({
        users: Type.Array(Type.Object({ id: Type.String({ description: "Its id" }) }), {
          description: "All",
        }),
        next: Type.Union([Type.String(), Type.Null()]),
        done: Type.Optional(Type.Literal(true)),
      }),
      "Object {`users` (list of object): All {`id` (string): Its id}; `next` (string or null); `done` (true, optional)}.",
      "json",
    ],
  ])("%#", (output, description, val_type) => {
    expect(outputOf(output)?.description).toBe(description);
    expect(outputOf(output)?.value_schema?.val_type).toBe(val_type as "json");
  });

  test("of each tool of the product is described, and its mcp format has the schema", () => {
    for (const tool of new Registry(extensions.catalogs).tools) {
      expect(toolRecord(tool).output?.description).toStartWith("Object {");
      expect(formatted(tool, "mcp")).toHaveProperty("outputSchema", tool.definition.output);
    }
  });
});

describe("a record", () => {
  test("says what the tool is and takes", () => {
    expect(toolRecord(fullTool)).toMatchObject({
      fully_qualified_name: "Kit.Full@1.2.3",
      qualified_name: "Kit.Full",
      name: "Full",
      toolkit: { name: "Kit", description: "A kit.", version: "1.2.3" },
      description: "Does everything.",
      metadata,
    });
    expect(toolRecord(fullTool)).not.toHaveProperty("deprecation_message");
  });

  test.each<[string, object]>([
    ["text", { val_type: "string" }],
    ["count", { val_type: "integer" }],
    ["ratio", { val_type: "number" }],
    ["flag", { val_type: "boolean" }],
    ["kind", { val_type: "string", enum: ["a", "b"] }],
    ["names", { val_type: "array", inner_val_type: "string" }],
    ["kinds", { val_type: "array", inner_val_type: "string", enum: ["a", "b"] }],
    ["rows", { val_type: "array", inner_val_type: "json" }],
    ["open", { val_type: "json" }],
    ["either", { val_type: "json" }],
  ])("gives the type of %s", (name, schema) => {
    const parameter = toolRecord(fullTool).input.parameters.find((one) => one.name === name);

    expect(parameter).toEqual({
      name,
      value_schema: schema as never,
      ...(name === "text" ? { description: "A text." } : {}),
      required: name === "text",
      inferrable: true,
    });
  });

  test("of a deprecated tool names the replacement", () => {
    expect(toolRecord(noneTool).deprecation_message).toBe(
      "None is deprecated and will be removed. Use Kit.Full instead.",
    );
  });

  test.each([
    ["with everything", fullTool],
    ["with nothing", noneTool],
  ])("%s fits its schema", (_name, tool) => {
    expect(fieldErrors(ToolResponse, toolRecord(tool))).toEqual([]);
  });
});

describe("a format", () => {
  const properties = {
    text: { type: "string", description: "A text." },
    count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    kinds: { type: "array", items: { enum: ["a", "b"] } },
  };

  test("openai wraps a plain JSON schema and is never strict", () => {
    const document = JSON.parse(JSON.stringify(formatted(fullTool, "openai")));

    expect(document).toMatchObject({
      type: "function",
      function: {
        name: "Kit_Full",
        description: "Does everything.",
        parameters: { type: "object", properties, required: ["text"] },
      },
    });
    expect(JSON.stringify(document)).not.toContain("strict");
  });

  test("anthropic calls it input_schema", () => {
    expect(JSON.parse(JSON.stringify(formatted(fullTool, "anthropic")))).toMatchObject({
      name: "Kit_Full",
      description: "Does everything.",
      input_schema: { type: "object", properties, required: ["text"] },
    });
  });

  test("arcade is the record itself", () => {
    expect(formatted(fullTool, "arcade")).toEqual(toolRecord(fullTool));
  });

  test("of a tool without parameters has an empty schema, with an empty list of what is required", () => {
    expect(formatted(noneTool, "openai")).toEqual({
      type: "function",
      function: {
        name: "Kit_None",
        description: "Takes nothing.",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
      },
    });
  });

  test.each([...FORMATS])("%s is known by its name", (name) => {
    expect(formatOf(name)).toBe(name);
  });

  test.each(["", "OpenAI", "constructor", "xml"])("%p is not", (name) => {
    expect(() => formatOf(name)).toThrow(RuntimeError);
    expect(() => formatOf(name)).toThrow("openai, anthropic");
  });

  test("has names that models can use", () => {
    for (const tool of tools) {
      expect(JSON.stringify(formatted(tool, "openai"))).toMatch(/"name":"[A-Za-z0-9_-]{1,64}"/);
    }
  });
});
