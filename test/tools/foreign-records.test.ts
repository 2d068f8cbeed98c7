// How listings describe tools of workers.
import { describe, expect, test } from "bun:test";
import { fieldErrors } from "../../src/base";
import { toolRecord } from "../../src/tools/document";
import { Registry } from "../../src/tools/registry";
import { ToolResponse } from "../../src/tools/schema";
import { definitionOf } from "../../src/workers/foreign";
import type { WorkerTool } from "../../src/workers/tool";
import { takenSchemas, tooled } from "./foreign-tools";

function parameter(schema: object, more: Partial<WorkerTool> = {}) {
  const $defs = {
    Text: { type: "string", description: "A text." },
    Mode: { enum: ["a", "b"] },
    Loop: { anyOf: [{ type: "array", items: { $ref: "#/$defs/Loop" } }, { type: "null" }] },
  };
  const tool = tooled({ type: "object", properties: { a: schema }, $defs }, more);
  return toolRecord(tool).input.parameters[0];
}

describe("the type of a parameter:", () => {
  test.each<[string, object, object]>([
    ["text", { type: "string" }, { val_type: "string" }],
    ["behind a reference", { $ref: "#/$defs/Text" }, { val_type: "string" }],
    ["text or null, as a union", { anyOf: [{ type: "string" }, { type: "null" }] }, { val_type: "string" }],
    ["text or null, as a list of types", { type: ["string", "null"] }, { val_type: "string" }],
    ["null alone", { type: "null" }, { val_type: "json" }],
    ["an integer or a number", { anyOf: [{ type: "integer" }, { type: "number" }] }, { val_type: "number" }],
    ["an integer", { type: ["integer", "null"] }, { val_type: "integer" }],
    ["one of two types", { type: ["string", "integer"] }, { val_type: "json" }],
    [
      "one of two references",
      { oneOf: [{ $ref: "#/$defs/Text" }, { type: "boolean" }] },
      { val_type: "json" },
    ],
    ["all of several", { allOf: [{ $ref: "#/$defs/Text" }, { minLength: 1 }] }, { val_type: "string" }],
    ["a closed list", { $ref: "#/$defs/Mode" }, { val_type: "string", enum: ["a", "b"] }],
    [
      "a closed list or null",
      { anyOf: [{ $ref: "#/$defs/Mode" }, { type: "null" }] },
      { val_type: "string", enum: ["a", "b"] },
    ],
    [
      "texts, each with a description",
      { oneOf: [{ const: "x" }, { const: "y" }] },
      { val_type: "string", enum: ["x", "y"] },
    ],
    [
      "a closed list, or any text",
      { anyOf: [{ $ref: "#/$defs/Mode" }, { type: "string" }] },
      { val_type: "string" },
    ],
    ["a closed list of numbers", { enum: [1, 2] }, { val_type: "integer" }],
    ["a closed list of all sorts", { enum: ["a", 1] }, { val_type: "json" }],
    ["an object", { type: "object", properties: {} }, { val_type: "json" }],
    ["anything", {}, { val_type: "json" }],
    [
      "a list of references",
      { type: "array", items: { $ref: "#/$defs/Mode" } },
      { val_type: "array", inner_val_type: "string", enum: ["a", "b"] },
    ],
    [
      "a list or null",
      { anyOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }] },
      { val_type: "array", inner_val_type: "integer" },
    ],
    [
      "a tuple",
      { type: "array", prefixItems: [{ type: "string" }] },
      { val_type: "array", inner_val_type: "json" },
    ],
    ["a list of lists without end", { $ref: "#/$defs/Loop" }, { val_type: "array", inner_val_type: "json" }],
    ["nothing at all", { not: {} }, { val_type: "json" }],
  ])("%s", (_what, schema, value_schema) => {
    expect(parameter(schema)?.value_schema).toEqual(value_schema as never);
  });
});

test("a parameter has the description of what it refers to, if it has none of its own", () => {
  expect(parameter({ $ref: "#/$defs/Text" })?.description).toBe("A text.");
  expect(parameter({ $ref: "#/$defs/Text", description: "Own." })?.description).toBe("Own.");
});

test("a parameter that a model must not make up is marked", () => {
  expect(parameter({ type: "string" }, { notInferrable: ["a"] })?.inferrable).toBe(false);
  expect(parameter({ type: "string" }, { notInferrable: ["b"] })?.inferrable).toBe(true);
});

test("a worker's own text says that a tool is deprecated", () => {
  const tool = tooled({ type: "object" }, { deprecation: "Use another one." });
  expect(toolRecord(tool).deprecation_message).toBe("Use another one.");
});

test.each(takenSchemas())("the record of %s has the published form", (_name, schema) => {
  expect(fieldErrors(ToolResponse, toolRecord(tooled(schema, { output: schema })))).toEqual([]);
});

test("20,000 tools are only touched when they are used", () => {
  let touched = 0;
  const lazy = (): WorkerTool["input"] =>
    new Proxy(
      { type: "object", properties: {} },
      {
        get: (target, key) => {
          if (key !== "properties") touched++;
          return Reflect.get(target, key);
        },
        ownKeys: (target) => {
          touched++;
          return Reflect.ownKeys(target);
        },
      },
    );
  const metadata = tooled({ type: "object" }).definition.metadata;
  const tools = Array.from({ length: 20_000 }, (_, index) =>
    definitionOf(
      { upstream: `t${index}`, name: `t${index}`, description: "", input: lazy(), metadata },
      async () => null,
    ),
  );
  const registry = new Registry([]).with([
    {
      toolkit: { name: "Many", description: "", version: "1.0.0" },
      worker: { id: "many", type: "mcp" },
      bases: {},
      tools,
    },
  ]);
  expect(registry.tools).toHaveLength(20_000);
  expect(touched).toBe(0);
  const [first] = registry.tools;
  if (first === undefined) throw new Error("There are tools.");
  toolRecord(first);
  expect(touched).toBeGreaterThan(0);
});
