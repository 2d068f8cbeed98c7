// Schemas of workers in the forms that vendors of models take.
import { describe, expect, test } from "bun:test";
import { Compile, Meta } from "typebox/schema";
import { isObject } from "../../src/base";
import { convertInput } from "../../src/tools/input";
import { formatted } from "../../src/tools/formats";
import { FORMATS } from "../../src/tools/schema";
import { geminiFaults } from "./gemini-faults";
import { takenSchemas, tooled } from "./foreign-tools";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const LARGEST = 2 * 1024 * 1024;
const SIMPLE = /^[a-zA-Z0-9_.-]{1,64}$/;

type Json = { [key: string]: unknown };

function shown(schema: object, format: (typeof FORMATS)[number]): Json {
  return JSON.parse(JSON.stringify(formatted(tooled(schema), format)));
}

/** Every schema inside, itself included. */
function parts(schema: unknown): Json[] {
  if (Array.isArray(schema)) return schema.flatMap(parts);
  if (!isObject(schema)) return [];
  return [schema, ...Object.values(schema).flatMap(parts)];
}

function propertyNames(parameters: unknown): string[] {
  return Object.keys(Object(Object(parameters)["properties"]));
}

describe.each(takenSchemas())("%s", (_name, schema) => {
  test.each(FORMATS)("as %s has a valid name and a bounded size", (format) => {
    const text = JSON.stringify(formatted(tooled(schema, { upstream: "n".repeat(128) }), format));
    expect(text.length).toBeLessThan(LARGEST);
    const name = Object(JSON.parse(text).function ?? JSON.parse(text))["name"];
    if (format !== "arcade") expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
  });

  test("OpenAI takes it", () => {
    const { parameters } = Object(shown(schema, "openai")["function"]);
    expect(
      Object.keys(parameters).filter(
        (key) => !["type", "properties", "required", "additionalProperties"].includes(key),
      ),
    ).toEqual([]);
    expect(parameters).toMatchObject({ type: "object" });
    expect(parts(parameters).filter(({ $ref }) => typeof $ref === "string")).toEqual([]);
    const lists = parts(parameters["properties"]).filter(({ type }) => type === "array");
    expect(lists.filter(({ items }) => items === undefined)).toEqual([]);
    expect(propertyNames(parameters).filter((name) => !SIMPLE.test(name))).toEqual([]);
    for (const name of parameters.required) expect(propertyNames(parameters)).toContain(name);
  });

  test("OpenAI takes it as strict, or is told that it is not", () => {
    const { strict, parameters } = Object(shown(schema, "openai_strict")["function"]);
    const objects = parts(parameters).filter(
      ({ properties, type }) => isObject(properties) && type === "object",
    );
    const open = objects.filter(
      (one) =>
        one["additionalProperties"] !== false ||
        propertyNames(one).some((name) => ![one["required"]].flat().includes(name)),
    );
    expect(typeof strict).toBe("boolean");
    expect(strict ? open : []).toEqual([]);
  });

  test("Anthropic takes it: JSON Schema 2020-12", () => {
    const { input_schema } = shown(schema, "anthropic");
    expect(Compile(Meta, Meta[DIALECT]).Check(input_schema)).toBe(true);
    expect(propertyNames(input_schema).filter((name) => !SIMPLE.test(name))).toEqual([]);
  });

  test("Gemini takes it", () => {
    const { parameters } = shown(schema, "gemini");
    expect(parameters === undefined ? [] : geminiFaults(parameters)).toEqual([]);
  });

  test("clients of MCP get it as it is", () => {
    expect(shown(schema, "mcp")["inputSchema"]).toEqual(JSON.parse(JSON.stringify(schema)));
    expect(Compile(Meta, Meta[DIALECT]).Check(schema)).toBe(true);
  });
});

describe("what a model sees", () => {
  test("of definitions, recursion and null", () => {
    const { parameters } = Object(
      shown(
        {
          $defs: {
            Node: {
              type: "object",
              properties: { next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
            },
          },
          type: "object",
          properties: { node: { $ref: "#/$defs/Node", description: "The first." } },
        },
        "openai",
      )["function"],
    );
    const any = { anyOf: [{ type: "object" }, { type: "null" }] };
    const node = (next: object) => ({ type: "object", properties: { next } });
    expect(parameters).toEqual({
      type: "object",
      properties: { node: { ...node({ anyOf: [node(any), { type: "null" }] }), description: "The first." } },
      required: [],
    });
  });

  test("of alternatives at the root: all their parameters, none required", () => {
    const schema = {
      type: "object",
      properties: { dry: { type: "boolean" } },
      required: ["dry"],
      oneOf: [{ properties: { id: { type: "integer" } }, required: ["id"] }, { $ref: "#/$defs/ByName" }],
      allOf: [{ properties: { user: { type: "string" } }, required: ["user"] }],
      $defs: {
        ByName: { properties: { name: { type: "string" }, dry: { type: "string" } }, required: ["name"] },
      },
    };
    expect(shown(schema, "anthropic")["input_schema"]).toEqual({
      type: "object",
      properties: {
        user: { type: "string" },
        id: { type: "integer" },
        name: { type: "string" },
        dry: { type: "boolean" },
      },
      required: ["dry", "user"],
    });
  });

  test("a closed schema stays closed, an open one open, and an open one is not strict", () => {
    const properties = { a: { type: "string" } };
    const of = (schema: object) =>
      Object(shown({ type: "object", properties, ...schema }, "openai_strict")["function"]);
    expect(of({ additionalProperties: false })).toMatchObject({
      strict: true,
      parameters: { additionalProperties: false },
    });
    expect(of({ additionalProperties: true })).toMatchObject({
      strict: false,
      parameters: { additionalProperties: true },
    });
    expect(of({ additionalProperties: { type: "integer" } })["strict"]).toBe(false);
  });

  test("a name that a vendor refuses has another one, and the input is read by both", () => {
    const schema = {
      type: "object",
      properties: {
        $top: { type: "integer" },
        top: { type: "string" },
        "filter[name]": { type: "string" },
        größe: { type: "number" },
        ["x".repeat(70)]: { type: "boolean" },
      },
      required: ["$top"],
      additionalProperties: false,
    };
    const tool = tooled(schema);
    const { input_schema } = JSON.parse(JSON.stringify(formatted(tool, "anthropic")));
    const names = propertyNames(input_schema);
    expect(new Set(names).size).toBe(5);
    expect(names).toContain("top");
    expect(names).toContain("filter_name_");
    const [top = "", , filter = "", size = "", long = ""] = names;
    expect(input_schema.required).toEqual([top]);
    const given = { [top]: 1, top: "a", [filter]: "b", [size]: 1.5, [long]: true };
    expect(convertInput(tool.definition, given)).toEqual({
      $top: 1,
      top: "a",
      "filter[name]": "b",
      größe: 1.5,
      ["x".repeat(70)]: true,
    });
    expect(convertInput(tool.definition, { $top: 1 })).toEqual({ $top: 1 });
  });

  test("a long description is cut for models that refuse it", () => {
    const tool = tooled({ type: "object" }, { description: `${"x".repeat(1022)}😀${"y".repeat(2000)}` });
    const { description } = Object(JSON.parse(JSON.stringify(formatted(tool, "openai"))).function);
    expect(description).toBe(`${"x".repeat(1022)}…`);
    expect(Object(formatted(tool, "anthropic"))["description"]).toHaveLength(3024);
  });
});
