// Refusals of values from closed lists name the values and the nearest one, and never repeat what was sent.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { closedList, fieldErrors } from "../../src/base";

describe("a closed list", () => {
  test("names its values and the nearest one", () => {
    expect(closedList(["chat", "sheets"], "shets")).toBe("must be one of chat, sheets (nearest: sheets)");
  });

  test("names no nearest value if none is near", () => {
    expect(closedList(["chat", "sheets"], "a secret")).toBe("must be one of chat, sheets");
  });

  test("names numbers too", () => {
    expect(closedList([10, 20], 21)).toBe("must be one of 10, 20 (nearest: 20)");
  });

  test("names at most 20 values", () => {
    const values = Array.from({ length: 23 }, (_, index) => `v${index}`);
    expect(closedList(values)).toEndWith(", v19 and 3 more");
  });
});

describe("the error of a field", () => {
  const errorOf = (schema: Parameters<typeof fieldErrors>[0], value: unknown) =>
    fieldErrors(Type.Object({ a: schema }), { a: value })[0]?.message;

  test("of a list", () => {
    expect(errorOf(Type.Enum(["x", "why"]), "wy")).toBe("must be one of x, why (nearest: why)");
  });

  test("of a list, for a value of another type", () => {
    expect(errorOf(Type.Enum(["chat", "sheets"], { type: "string" }), 5)).toBe("must be one of chat, sheets");
  });

  test("of alternatives that are constants", () => {
    const schema = Type.Union([Type.Literal("always"), Type.Literal("never"), Type.Null()]);
    expect(errorOf(schema, "alway")).toBe("must be one of always, never (nearest: always) or null");
  });

  test("of alternatives that are types", () => {
    expect(errorOf(Type.Union([Type.String(), Type.Array(Type.String())]), 1)).toBe(
      "must be string or array",
    );
  });

  test("never repeats the value", () => {
    expect(errorOf(Type.Enum(["sk_live"]), "sk_live_123")).toBe("must be sk_live");
  });
});
