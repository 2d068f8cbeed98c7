// Unknown fields: which ones are refused as mistyped, and which ones are ignored.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { checked, unknownFields } from "../../src/base";
import { RuntimeError } from "../../src/errors";
import { ChatRequest } from "../../src/llm/schema";

const SCHEMA = Type.Intersect([
  Type.Object({
    status: Type.Optional(Type.String()),
    tool_filter: Type.Optional(Type.Object({ allowed_tools: Type.Optional(Type.Array(Type.String())) })),
    items: Type.Optional(Type.Array(Type.Object({ priority: Type.Optional(Type.Integer()) }))),
    params: Type.Optional(Type.Record(Type.String(), Type.String())),
    either: Type.Optional(Type.Union([Type.String(), Type.Object({ endpoint: Type.String() })])),
    key: Type.Optional(Type.String()),
    anything: Type.Optional(Type.Unknown()),
  }),
  Type.Object({ nested: Type.Optional(Type.Object({ timeout_ms: Type.Optional(Type.Integer()) })) }),
]);

function refusalOf(value: object): string | undefined {
  try {
    checked(SCHEMA, value, "request body");
    return undefined;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

describe("a field that is a typo away from a known one is refused, with both names", () => {
  test.each<[object, string, string]>([
    [{ statsu: "x" }, "statsu", "status"],
    [{ tool_fitler: {} }, "tool_fitler", "tool_filter"],
    [{ toolFilter: {} }, "toolFilter", "tool_filter"],
    [{ "tool-filter": {} }, "tool-filter", "tool_filter"],
    [{ tool_filter: { allowed_tool: [] } }, "tool_filter.allowed_tool", "allowed_tools"],
    [{ items: [{}, { priorty: 1 }] }, "items.1.priorty", "priority"],
    [{ either: { endpiont: "x", endpoint: "y" } }, "either.endpiont", "endpoint"],
    [{ nested: { timeoutms: 1 } }, "nested.timeoutms", "timeout_ms"],
    [{ Key: "x" }, "Key", "key"],
  ])("%j", (value, field, meant) => {
    expect(refusalOf(value)).toBe(
      `failed to validate request body: ${field} is not a known field; did you mean ${meant}?`,
    );
  });
});

describe("other fields are ignored", () => {
  test.each<[object]>([
    [{ created_at: "x", binding: {} }],
    [{ kex: 1, ke: 1 }],
    [{ params: { stauts: "free", status_: "x" } }],
    [{ anything: { statsu: 1 } }],
    [{ tool_filter: { discovery: true } }],
    [{ "": 1, [`status${"s".repeat(500)}`]: 1 }],
  ])("%j", (value) => {
    expect(refusalOf(value)).toBeUndefined();
  });
});

test("of fields that are passed on, only mistyped ones count", () => {
  const request = { model: "m", messages: [{ role: "user", contnet: "x" }], top_k: 5, strem: true };

  expect(unknownFields(ChatRequest, request, 10).map(({ path }) => path.join("."))).toEqual([
    "messages.0.contnet",
    "strem",
  ]);
});

test("a request with thousands of fields that are passed on is not compared name by name", () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`strem${index}`, 1]));
  const request = { model: "m", messages: [], ...many, steam: true };

  expect(unknownFields(ChatRequest, request, 5000).some(({ name }) => name === "steam")).toBe(false);
});

test("the search ends at its limit", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`statsu${index}`, 1]));

  expect(unknownFields(SCHEMA, many, 20)).toHaveLength(20);
});
