// Input of tools of workers: judged by their own schemas.
import { describe, expect, test } from "bun:test";
import { parseJson } from "../../src/base";
import { ToolError } from "../../src/tools";
import { convertInput } from "../../src/tools/input";
import { REAL_SCHEMAS } from "../schemas/real-schemas";
import { tooled } from "./foreign-tools";

function convert(schema: unknown, input: { [key: string]: unknown }): unknown {
  return convertInput(tooled(schema).definition, input);
}

function refusal(schema: unknown, input: { [key: string]: unknown }): ToolError {
  try {
    convert(schema, input);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error("It was taken.");
}

function object(properties: object, more: object = {}): object {
  return { type: "object", properties, ...more };
}

describe.each(REAL_SCHEMAS)("$name", ({ schema, valid, invalid }) => {
  test("valid inputs reach the worker as they are", () => {
    expect(valid.length).toBeGreaterThan(0);
    for (const input of valid) expect(convert(schema, { ...input })).toEqual(input);
  });

  test("others are refused before anything is sent", () => {
    for (const [input] of invalid)
      expect(refusal(schema, { ...input }).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(invalid.every(([input]) => typeof input === "object")).toBe(true);
  });
});

describe("is converted where the schema takes no text:", () => {
  test.each<[string, object, unknown, unknown]>([
    ["an integer", { type: "integer" }, "50", 50],
    ["a negative integer", { type: "integer" }, "-7", -7],
    ["an integer for a number", { type: "number" }, "50", 50],
    ["a number", { type: "number" }, "1.5", 1.5],
    ["a boolean", { type: "boolean" }, "true", true],
    ["a list", { type: "array", items: { type: "integer" } }, "[1,2]", [1, 2]],
    ["an object", { type: "object" }, ' {"a":1}', { a: 1 }],
    ["what may be null", { anyOf: [{ type: "integer" }, { type: "null" }] }, "5", 5],
    ["behind a reference", { $ref: "#/$defs/Count" }, "5", 5],
    ["of a list of numbers", { enum: [1, 2, 3] }, "2", 2],
    ["one of several types, by its form", { type: ["integer", "boolean", "array"] }, "true", true],
    ["part of all schemas", { allOf: [{ type: ["string", "integer"] }, { type: "integer" }] }, "5", 5],
  ])("%s", (_what, schema, given, converted) => {
    expect(convert(object({ a: schema }, { $defs: { Count: { type: "integer" } } }), { a: given })).toEqual({
      a: converted,
    });
  });
});

describe("stays as it is:", () => {
  test.each<[string, object, unknown]>([
    ["text", { type: "string" }, "5"],
    ["text that may be a number", { type: ["string", "integer"] }, "5"],
    ["text of any type", {}, "5"],
    ["text in one of the alternatives", { anyOf: [{ type: "integer" }, { type: "string" }] }, "[1]"],
    ["text inside of an object", { type: "object", properties: { b: {} } }, { b: "5" }],
    ["null where it is allowed", { type: ["string", "null"] }, null],
    ["null of any type", {}, null],
    [
      "more entries than a built-in tool takes",
      { type: "array" },
      Array.from({ length: 1500 }, (_, at) => at),
    ],
    ["a longer text than a built-in tool takes", { type: "string" }, "x".repeat(200_000)],
    ["a date in another form than the format", { type: "string", format: "date-time" }, "2030-01-31 09:30"],
  ])("%s", (_what, schema, given) => {
    expect(convert(object({ a: schema }), { a: given })).toEqual({ a: given });
  });
});

test("null counts as absent where the schema does not allow it", () => {
  const schema = object({ a: { type: "string" }, b: { anyOf: [{ type: "integer" }, { type: "null" }] } });
  expect(convert(schema, { a: null, b: null })).toEqual({ b: null });
  expect(refusal({ ...schema, required: ["a"] }, { a: null }).message).toContain("a is required");
});

test("a default is left to the worker", () => {
  expect(convert(object({ a: { type: "integer", default: 5 } }), {})).toEqual({});
});

test("unknown parameters reach a worker whose schema is open", () => {
  expect(convert(object({ a: { type: "integer" } }), { a: 1, more: { b: 2 } })).toEqual({
    a: 1,
    more: { b: 2 },
  });
  expect(convert(object({}, { additionalProperties: { type: "integer" } }), { x: 1 })).toEqual({ x: 1 });
});

test("integers with more digits than a double keep them, also inside", () => {
  const schema = object(
    {
      id: { type: "integer" },
      ids: { type: "array", items: { $ref: "#/$defs/Id" } },
      name: { type: "string" },
      either: { type: ["string", "integer"] },
    },
    { $defs: { Id: { type: "integer", minimum: 0 } } },
  );
  const text =
    '{"id":12345678901234567890,"ids":[1,-0,98765432109876543210],"name":"12345678901234567890","either":12345678901234567890}';
  const given = parseJson(text);
  const sent = JSON.stringify(convert(schema, given as { [key: string]: unknown }));
  expect(sent).toBe(
    '{"id":12345678901234567890,"ids":[1,0,98765432109876543210],"name":"12345678901234567890","either":"12345678901234567890"}',
  );
  expect(refusal(schema, { ids: ["-12345678901234567890"] }).message).toContain("ids.0 must be >= 0");
});

test("__proto__ is a name as any other", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"}},"additionalProperties":false}',
  );
  const converted = convert(schema, JSON.parse('{"__proto__":"5"}'));
  expect(JSON.stringify(converted)).toBe('{"__proto__":5}');
  expect(Object.getPrototypeOf(converted)).toBe(Object.prototype);
});

describe("an error says what is wrong and what to do:", () => {
  const filter = {
    type: "object",
    properties: { state: { enum: ["open", "closed"] }, from: { type: "string" } },
    required: ["state"],
    additionalProperties: false,
  };
  test.each<[string, object, { [key: string]: unknown }, string]>([
    ["a missing one", object({ a: { type: "string" } }, { required: ["a"] }), {}, "a is required"],
    [
      "a value of a closed list",
      object({ filter }),
      { filter: { state: "opn" } },
      "filter.state must be one of open, closed (nearest: open)",
    ],
    [
      "a wrong type",
      object({ filter }),
      { filter: { state: "open", from: 5 } },
      "filter.from must be string",
    ],
    [
      "an unknown member",
      object({ filter }),
      { filter: { state: "open", form: 5 } },
      "filter has a member that is not known. It takes: state, from (nearest: from)",
    ],
    [
      "an unknown parameter",
      object({ limit: { type: "integer" } }, { additionalProperties: false }),
      { limt: 5 },
      'There is no parameter "limt". Did you mean "limit"?',
    ],
    [
      "one of several types",
      object({ a: { anyOf: [{ type: "string" }, { type: "array" }] } }),
      { a: 5 },
      "a must be string or array",
    ],
    [
      "one of two requirements",
      object({}, { anyOf: [{ required: ["id"] }, { required: ["name"] }] }),
      {},
      "must have id, or name",
    ],
    ["too large", object({ a: { type: "integer", maximum: 5 } }), { a: "9" }, "a must be <= 5"],
  ])("%s", (_what, schema, input, message) => {
    const error = refusal(schema, input);
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/\.$/);
    expect(error.details.additionalPromptContent).toContain("call again");
  });

  test("with the schema of the parameter, without references", () => {
    const schema = object({ filter: { $ref: "#/$defs/Filter" } }, { $defs: { Filter: filter } });
    expect(refusal(schema, { filter: {} }).details.additionalPromptContent).toBe(
      `Correct these parameters and call again: ${JSON.stringify({ filter })}`,
    );
  });

  test("without schemas that are too long", () => {
    const schema = object({ a: { enum: Array.from({ length: 1500 }, (_, at) => `value ${at}`) } });
    const { details, message } = refusal(schema, { a: "x" });
    const { additionalPromptContent = "" } = details;
    expect(message.length + additionalPromptContent.length).toBeLessThan(1000);
  });

  test("and repeats no value", () => {
    const schema = object({
      a: { type: "integer" },
      b: { enum: ["x"] },
      c: { pattern: "^[a-z]+$" },
      d: filter,
    });
    const secret = "sk-SECRET-0123456789";
    const error = refusal(schema, { a: secret, b: secret, c: secret, d: { [secret]: secret } });
    expect(JSON.stringify([error.message, error.details])).not.toContain(secret);
  });
});
