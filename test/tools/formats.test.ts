// Tools in the forms that model vendors and MCP clients take: golden shapes, names, references.
import { describe, expect, test } from "bun:test";
import { toStrictJsonSchema } from "openai/lib/transform";
import { type TObject, Type } from "typebox";
import { extensions } from "../../catalogs";
import { type Catalog, defineTool, type ToolDefinition } from "../../src/tools";
import { type Format, formatted } from "../../src/tools/formats";
import { judgeInput } from "../../src/tools/input";
import { FORMATS } from "../../src/tools/schema";
import { selfContained } from "../../src/tools/formats/self-contained";
import { Registry } from "../../src/tools/registry";
import { growthOf } from "../support/growth";

function tool(name: string, input: TObject = Type.Object({}), description = "Does it."): ToolDefinition {
  return defineTool({
    name,
    description,
    input,
    output: Type.Unknown(),
    metadata: {
      behavior: {
        operations: ["update"],
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: true,
      },
    },
    run: async () => null,
  });
}

function kit(name: string, ...tools: ToolDefinition[]): Catalog {
  return { toolkit: { name, description: name, version: "1.2.3" }, bases: {}, tools };
}

/** The only tool of a kit, in a format, as JSON. */
function shown(input: TObject, format: Format): unknown {
  const [only] = new Registry([kit("Kit", tool("Do", input))]).tools;
  if (only === undefined) throw new Error("one tool");
  return JSON.parse(JSON.stringify(formatted(only, format)));
}

function parametersOf(tool: object): object {
  return (tool as { function: { parameters: object } }).function.parameters;
}

const updating = Type.Object({
  id: Type.String({ description: "Which one." }),
  position: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: "Where." })),
  open: Type.Optional(Type.Object({}, { description: "Anything." })),
});

const PROPERTIES = {
  id: { type: "string", description: "Which one." },
  position: { type: "integer", minimum: 1, default: 1, description: "Where." },
  open: { type: "object", properties: {}, description: "Anything." },
};
// Tools refuse unknown parameters.
const CLOSED = { additionalProperties: false };
const SCHEMA = { type: "object", properties: PROPERTIES, required: ["id"], ...CLOSED };
const EMPTY = { type: "object", properties: {}, required: [], ...CLOSED };
const HINTS = {
  title: "Kit.Do",
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};

describe("the shape", () => {
  test.each<[Format, object, object]>([
    [
      "openai",
      { type: "function", function: { name: "Kit_Do", description: "Does it.", parameters: SCHEMA } },
      { type: "function", function: { name: "Kit_Do", description: "Does it.", parameters: EMPTY } },
    ],
    [
      "anthropic",
      { name: "Kit_Do", description: "Does it.", input_schema: SCHEMA },
      { name: "Kit_Do", description: "Does it.", input_schema: EMPTY },
    ],
    [
      "gemini",
      {
        name: "Kit_Do",
        description: "Does it.",
        parameters: {
          type: "object",
          // No empty properties.
          properties: { ...PROPERTIES, open: { type: "object", description: "Anything." } },
          required: ["id"],
        },
      },
      { name: "Kit_Do", description: "Does it." },
    ],
    [
      "mcp",
      { name: "Kit_Do", title: "Kit.Do", description: "Does it.", inputSchema: SCHEMA, annotations: HINTS },
      { name: "Kit_Do", title: "Kit.Do", description: "Does it.", inputSchema: EMPTY, annotations: HINTS },
    ],
  ])("of %s, with optional and open parameters and with none", (format, full, empty) => {
    expect(shown(updating, format)).toEqual(full);
    expect(shown(Type.Object({}), format)).toEqual(empty);
  });

  test("of arcade is the definition", () => {
    expect(shown(updating, "arcade")).toMatchObject({
      fully_qualified_name: "Kit.Do@1.2.3",
      toolkit: { name: "Kit", version: "1.2.3" },
      input: {
        parameters: [
          { name: "id", value_schema: { val_type: "string" }, required: true },
          { name: "position", value_schema: { val_type: "integer" }, required: false },
          { name: "open", value_schema: { val_type: "json" }, required: false },
        ],
      },
    });
  });
});

describe("every tool of the catalogs", () => {
  const registry = new Registry(extensions.catalogs);
  const all = registry.tools.flatMap((one) => FORMATS.map((format) => [one, format] as const));

  test("is strict only where it is asked for, and never requires what it does not have", () => {
    for (const [one, format] of all) {
      const text = JSON.stringify(formatted(one, format));
      expect(text.includes('"strict":true')).toBe(format === "openai_strict");
      expect(text).not.toContain('"$ref"');
      for (const node of nodes(JSON.parse(text))) {
        if (Array.isArray(node["required"]) && node["type"] === "object")
          expect(Object.keys(Object(node["properties"]))).toEqual(expect.arrayContaining(node["required"]));
        if (Array.isArray(node["enum"]) && format !== "arcade") expect(node).toHaveProperty("type");
      }
    }
  });

  test("is closed, because unknown parameters are refused", () => {
    for (const [one, format] of all) {
      if (format === "arcade" || format === "gemini") continue;
      const text = JSON.stringify(formatted(one, format));
      expect(text).toMatch(/"required":\[[^\]]*\],"additionalProperties":false/);
    }
  });

  test("is accepted unchanged by the conversion of the openai client, if it is strict", () => {
    for (const one of registry.tools) {
      const given = parametersOf(formatted(one, "openai_strict"));
      expect(toStrictJsonSchema(structuredClone(given))).toEqual(given);
      // Strict parameters have no default and no length.
      expect(JSON.stringify(given)).not.toMatch(/"(default|minLength|maxLength|oneOf|allOf)"/);
    }
  });

  test("takes null for each optional parameter of its strict form, like an absent one", () => {
    for (const { definition } of registry.tools) {
      const { properties } = definition.input;
      const required: readonly string[] = definition.input.required ?? [];
      const optional = Object.keys(properties).filter((name) => !required.includes(name));
      const nulls = Object.fromEntries(optional.map((name) => [name, null]));
      const [absent, given] = [{}, nulls].map((input) => judgeInput(definition, input));

      expect(JSON.stringify(given)).toBe(JSON.stringify(absent));
    }
  });

  test("has a name that vendors take, unique, that leads back to it in any case [fault: tool-names]", () => {
    const names = registry.tools.map(({ modelName }) => modelName);

    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const one of registry.tools) {
      expect(one.modelName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(registry.find(one.modelName)).toBe(one);
      expect(registry.find(one.modelName.toLowerCase())).toBe(one);
      expect(registry.find(one.qualifiedName)).toBe(one);
    }
  });
});

describe("the strict form", () => {
  const strict = (input: TObject) => {
    const { function: shape } = shown(input, "openai_strict") as {
      function: { strict: boolean; parameters: object };
    };
    return [shape.strict, shape.parameters];
  };

  test("requires every parameter, and lets optional ones be null", () => {
    const input = Type.Object({
      id: Type.String({ minLength: 1, description: "Which one." }),
      mode: Type.Optional(Type.Enum(["a", "b"], { type: "string", default: "a" })),
      names: Type.Optional(Type.Array(Type.String({ maxLength: 5 }), { maxItems: 3 })),
      at: Type.Object({ x: Type.Number() }),
    });
    const x = { type: "number" };

    expect(strict(input)).toEqual([
      true,
      {
        type: "object",
        properties: {
          id: { type: "string", description: "Which one." },
          mode: { type: ["string", "null"], enum: ["a", "b", null] },
          names: { type: ["array", "null"], items: { type: "string" }, maxItems: 3 },
          at: { type: "object", properties: { x }, required: ["x"], ...CLOSED },
        },
        required: ["id", "mode", "names", "at"],
        ...CLOSED,
      },
    ]);
    expect(strict(Type.Object({}))).toEqual([true, EMPTY]);
  });

  test.each<[string, TObject]>([
    ["an object of any form", Type.Object({ open: Type.Object({}) })],
    [
      "an object with an optional field",
      Type.Object({ at: Type.Object({ x: Type.Optional(Type.Number()) }) }),
    ],
    [
      "an open object",
      Type.Object({ at: Type.Object({ x: Type.Number() }, { additionalProperties: true }) }),
    ],
    ["alternatives", Type.Object({ at: Type.Union([Type.String(), Type.Number()]) })],
    ["any value", Type.Object({ at: Type.Unknown() })],
    ["a map", Type.Object({ at: Type.Record(Type.String(), Type.String()) })],
    ["a list of any values", Type.Object({ at: Type.Array(Type.Unknown()) })],
  ])("is not claimed for %s, which it cannot express", (_what, input) => {
    const plain = shown(input, "openai") as { function: { parameters: object } };
    expect(strict(input)).toEqual([false, plain.function.parameters]);
  });
});

describe("names", () => {
  const long = "L".repeat(70);
  const registry = new Registry([
    kit("A", tool("B_C"), tool(long), tool(`${long}x`)),
    kit("A_B", tool("C")),
    kit("Odd Kit", tool("Do: it")),
    kit("Odd_Kit", tool("Do__it")),
  ]);
  const nameOf = (name: string) => registry.tools.find((one) => one.qualifiedName === name)?.modelName ?? "";

  test("that would be equal are made unique; the plain one stays with its tool", () => {
    expect(nameOf("A.B_C")).toBe("A_B_C");
    expect(nameOf("A_B.C")).toMatch(/^A_B_C_[0-9a-f]{8}$/);
    expect(nameOf("Odd_Kit.Do__it")).toBe("Odd_Kit_Do__it");
    expect(nameOf("Odd Kit.Do: it")).toMatch(/^Odd_Kit_Do__it_[0-9a-f]{8}$/);
  });

  test("that are too long are shortened, and stay unique", () => {
    const [one, other] = [nameOf(`A.${long}`), nameOf(`A.${long}x`)];

    expect([one.length, other.length]).toEqual([64, 64]);
    expect(one).not.toBe(other);
  });

  test("all fit and lead back", () => {
    for (const one of registry.tools) {
      expect(one.modelName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(registry.find(one.modelName)).toBe(one);
    }
  });

  test("do not depend on the order of the catalogs", () => {
    const turned = new Registry([kit("A_B", tool("C")), kit("A", tool("B_C"))]);

    expect(turned.tools.map(({ modelName }) => modelName).toSorted()).toEqual(
      [nameOf("A.B_C"), nameOf("A_B.C")].toSorted(),
    );
  });
});

describe("references", () => {
  const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
  const node = {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
  };
  const input = Type.Object(
    { at: Type.Ref("#/$defs/Point"), tree: Type.Optional(Type.Ref("#/$defs/Node")) },
    { $defs: { Point: point, Node: node } },
  );

  test("stay in mcp, like everything else of JSON Schema 2020-12", () => {
    const conditions = Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, {}]));
    const rules = { additionalProperties: false, allOf: [{ required: ["at"] }], ...conditions };
    const more = { $schema: "https://json-schema.org/draft/2020-12/schema", ...rules };
    const whole = Type.Object({ at: Type.Ref("#/$defs/Point") }, { $defs: { Point: point }, ...more });

    expect(shown(whole, "mcp")).toMatchObject({
      inputSchema: JSON.parse(JSON.stringify(whole)),
    });
  });

  test.each<Format>(["openai", "anthropic", "gemini"])(
    "are written out in %s [fault: schema-references]",
    (format) => {
      const before = JSON.stringify(input);
      const text = JSON.stringify(shown(input, format));

      expect(text).not.toContain("$ref");
      expect(text).not.toContain("$defs");
      expect(text).toContain('"at":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}');
      expect(JSON.stringify(input)).toBe(before);
    },
  );

  test("of a schema to itself end after two rounds, with the same type [fault: schema-references]", () => {
    const items = { type: "object", properties: { name: { type: "string" }, children: { type: "array" } } };

    expect(selfContained(input)["properties"]).toMatchObject({
      tree: {
        ...items,
        properties: {
          children: { items: { ...items, properties: { children: { items: { type: "object" } } } } },
        },
      },
    });
    expect(JSON.stringify(selfContained(input)).length).toBeLessThan(500);
  });

  test.each<[string, object, object]>([
    ["by pointer into a list", { $ref: "#/x-list/1" }, { type: "integer" }],
    ["by an escaped pointer", { $ref: "#/$defs/a~1b" }, { type: "boolean" }],
    ["by the old keyword", { $ref: "#/definitions/Old" }, { type: "null" }],
    ["by id", { $ref: "https://schemas.test/word" }, { type: "string" }],
    ["by bare name", { $ref: "Bare" }, { type: "number" }],
    [
      "with keywords next to them",
      { $ref: "Bare", description: "near" },
      { type: "number", description: "near" },
    ],
    ["to nothing", { $ref: "#/$defs/None", description: "lost" }, { description: "lost" }],
    ["to what everything has", { $ref: "#/$defs/constructor" }, {}],
  ])("%s", (_how, reference, expected) => {
    const schema = {
      type: "object",
      "x-list": [{ type: "string" }, { type: "integer" }],
      $defs: {
        "a/b": { type: "boolean" },
        Word: { $id: "https://schemas.test/word", type: "string" },
        Bare: { type: "number" },
      },
      definitions: { Old: { type: "null" } },
      properties: { it: reference },
    };

    expect(Object(selfContained(schema)["properties"]).it).toEqual(expected);
  });

  /** Each of so many definitions refers to all of them. */
  const multiplying = (count: number): object => {
    const names = Array.from({ length: count }, (_, index) => `T${index}`);
    const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties: all }]));
    return { type: "object", properties: all, $defs };
  };

  test("that multiply are cut: the schema stays small enough to send [fault: schema-references]", () => {
    expect(JSON.stringify(selfContained(multiplying(12))).length).toBeLessThan(200_000);
  });

  test("take time in proportion to their length", () => {
    const growth = growthOf(25_000, (bytes) => {
      // A reference is about 30 bytes.
      const schema = multiplying(Math.round(Math.sqrt(bytes / 30)));
      return () => selfContained(schema);
    });

    expect(growth).toBeLessThan(10);
  });
});

/** Every object inside a value. */
function nodes(value: unknown): { [key: string]: unknown }[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(nodes);
  return Array.isArray(value) ? inner : [Object(value), ...inner];
}
