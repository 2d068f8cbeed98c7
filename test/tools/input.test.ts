// Conversion of tool inputs, by one strict table for every toolkit (docs/decisions.md).
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { defineTool, ToolError } from "../../src/tools";
import { convertInput } from "../../src/tools/input";

const definition = defineTool({
  name: "Tool",
  description: "A tool.",
  input: Type.Object({
    text: Type.Optional(Type.String()),
    short: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    count: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer({ default: 20 })),
    strict_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    ratio: Type.Optional(Type.Number()),
    flag: Type.Optional(Type.Boolean({ default: true })),
    names: Type.Optional(Type.Array(Type.String())),
    kinds: Type.Optional(Type.Array(Type.Enum(["a", "b"]), { default: ["a"] })),
    numbers: Type.Optional(Type.Array(Type.Integer())),
    kind: Type.Optional(Type.Enum(["a", "b"])),
    open: Type.Optional(Type.Object({})),
  }),
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
  clamps: { limit: { minimum: 1, maximum: 100 } },
  singles: ["kinds"],
  run: async () => null,
});

const DEFAULTS = { limit: 20, flag: true, kinds: ["a"] };

function refusal(input: { [key: string]: unknown }): ToolError {
  try {
    convertInput(definition, input);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error("it was taken");
}

describe("is taken as", () => {
  test.each<[string, unknown, unknown]>([
    // Text that is a decimal integer, for an integer.
    ["count", "50", 50],
    ["count", "-50", -50],
    ["count", "0", 0],
    ["count", "007", 7],
    ["count", 50, 50],
    ["count", 50.0, 50],
    ["count", "999999999999999", 999_999_999_999_999],
    // Text true and false, for a boolean.
    ["flag", "true", true],
    ["flag", "false", false],
    ["flag", false, false],
    // JSON text of a list, for a list.
    ["names", '["a","b"]', ["a", "b"]],
    ["names", ' ["a"] ', ["a"]],
    ["names", "[]", []],
    ["names", ["a"], ["a"]],
    ["numbers", "[1,2]", [1, 2]],
    // One text for a list of one, where the tool says so.
    ["kinds", "b", ["b"]],
    ["kinds", '["a","b"]', ["a", "b"]],
    // Above and below the published limits, where the tool says so.
    ["limit", 1000, 100],
    ["limit", "1000", 100],
    ["limit", 0, 1],
    ["limit", -5, 1],
    ["limit", 50, 50],
    // Text stays text.
    ["text", "50", "50"],
    ["text", "true", "true"],
    ["text", '["a"]', '["a"]'],
    ["text", "null", "null"],
    ["text", "", ""],
    ["text", '{"a":1}', '{"a":1}'],
    ["ratio", 0.5, 0.5],
    ["kind", "b", "b"],
    ["open", { a: 1 }, { a: 1 }],
  ])("%s: %p → %p", (name, given, taken) => {
    expect(convertInput(definition, { [name]: given })).toEqual({ ...DEFAULTS, [name]: taken });
  });
});

describe("is refused, naming the field:", () => {
  test.each<[string, unknown]>([
    ["count", "50.5"],
    ["count", "50.0"],
    ["count", "5e1"],
    ["count", ""],
    ["count", " "],
    ["count", " 50"],
    ["count", "+50"],
    ["count", "0x10"],
    ["count", "fifty"],
    ["count", "1234567890123456"],
    ["count", 50.5],
    ["count", true],
    ["count", [50]],
    ["flag", "yes"],
    ["flag", "True"],
    ["flag", "1"],
    ["flag", ""],
    ["flag", 1],
    ["flag", 0],
    ["names", "a"],
    ["names", ""],
    ["names", "a,b"],
    ["names", '["a"'],
    ["names", '{"a":1}'],
    ["names", "[1]"],
    ["names", [1]],
    ["names", { 0: "a" }],
    ["numbers", '["1"]'],
    ["kinds", "c"],
    ["kinds", ""],
    ["kinds", 7],
    ["limit", 2.5],
    ["limit", "2.5"],
    ["limit", ""],
    ["strict_limit", 101],
    ["strict_limit", "0"],
    ["ratio", "0.5"],
    ["text", 50],
    ["text", true],
    ["text", { a: 1 }],
    ["text", ["a"]],
    ["short", "long text"],
    ["short", ""],
    ["kind", "A"],
    ["open", "{}"],
  ])("%s: %p", (name, given) => {
    const error = refusal({ [name]: given });

    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect([error.canRetry, error.details.statusCode]).toEqual([false, 400]);
    expect(error.message).toContain(name);
  });

  test("and never repeats what was given", () => {
    expect(refusal({ count: "planted-secret", kind: "planted-secret" }).message).not.toContain("planted");
  });
});

describe("null is absent:", () => {
  test.each([
    ["text", DEFAULTS],
    ["count", DEFAULTS],
    ["limit", DEFAULTS],
    ["flag", DEFAULTS],
    ["kinds", DEFAULTS],
  ])("%s", (name, expected) => {
    expect(convertInput(definition, { [name]: null })).toEqual(expected);
  });
});

describe("defaults", () => {
  test("are filled in for missing values", () => {
    expect(convertInput(definition, {})).toEqual(DEFAULTS);
  });

  test("of one call are not those of another", () => {
    const first = convertInput(definition, {});
    (first["kinds"] as string[]).push("changed by the tool");

    expect(convertInput(definition, {})).toEqual(DEFAULTS);
  });
});

describe("an unknown parameter is refused", () => {
  test.each([
    ["nams", 'There is no parameter "nams". Did you mean "names"?'],
    ["strictLimit", 'There is no parameter "strictLimit". Did you mean "strict_limit"?'],
    [
      "completely_else",
      'There is no parameter "completely_else". Leave it out. The tool takes: text, short, count,',
    ],
    ["<script>", "There is no parameter with this name."],
    ["__proto__", 'There is no parameter "__proto__".'],
    ["constructor", 'There is no parameter "constructor".'],
    ["toString", 'There is no parameter "toString".'],
  ])("%s, with the nearest one", (name, message) => {
    const input: { [key: string]: unknown } = JSON.parse(`{${JSON.stringify(name)}: 1}`);

    expect(refusal(input).message).toStartWith(message);
  });

  test("even when it is null", () => {
    expect(refusal({ unknown: null }).message).toStartWith("There is no parameter");
  });
});

describe("what is required", () => {
  const strict = defineTool({
    ...definition,
    input: Type.Object({ id: Type.String(), more: Type.Optional(Type.String()) }),
    clamps: {},
    singles: [],
    run: async () => null,
  });

  test.each<[string, { [key: string]: unknown }]>([
    ["absent", {}],
    ["null", { id: null }],
  ])("and %s is refused by its name", (_name, input) => {
    expect(() => convertInput(strict, input)).toThrow("id is required");
  });
});

test("an input that waives the requirements may have unknown parameters", () => {
  const waiving = defineTool({
    ...definition,
    input: Type.Object({ mode: Type.String() }),
    waivesRequirements: (input) => input["mode"] === "explain",
    run: async () => null,
  });

  expect(convertInput(waiving, { mode: "explain", whatever: 1 })).toEqual({ mode: "explain" });
  expect(() => convertInput(waiving, { mode: "do", whatever: 1 })).toThrow("There is no parameter");
});

describe("what one call may contain is limited", () => {
  const limited = defineTool({
    name: "Limited",
    description: "Has limits.",
    input: Type.Object({
      names: Type.Optional(Type.Array(Type.String())),
      text: Type.Optional(Type.String()),
      document: Type.Optional(Type.String()),
    }),
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
    documents: ["document"],
    run: async () => ({}),
  });
  const long = "x".repeat(100_001);

  test.each([
    [
      "1,001 entries",
      { names: Array<string>(1001).fill("a") },
      "names must have at most 1000 entries; it has 1001",
    ],
    [
      "1,001 entries as text",
      { names: JSON.stringify(Array(1001).fill("a")) },
      "names must have at most 1000 entries",
    ],
    ["a long entry", { names: [long] }, "names.0 must have at most 100000 characters"],
    ["a long text", { text: long }, "text must have at most 100000 characters; it has 100001"],
  ])("%s is refused", (_name, input, message) => {
    expect(() => convertInput(limited, input)).toThrow(message);
  });

  test("what is within the limits, and a document of any length, is not", () => {
    const input = { names: Array<string>(1000).fill("a"), text: "x".repeat(100_000), document: long };

    expect(convertInput(limited, input)).toEqual(input);
  });
});
