// A field replaced in the text: it is the field, all of it, and nothing else changes.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { replaceField } from "../../src/llm/replace-field";

describe("the field", () => {
  test.each([
    ["alone", '{"model":"a"}', '{"model":"N"}'],
    ["with spaces around", '{ "model" : "a" , "x":1}', '{ "model" :"N", "x":1}'],
    ["inside of others is another", '{"x":{"model":"a"},"model":"b"}', '{"x":{"model":"a"},"model":"N"}'],
    [
      "as text is another",
      String.raw`{"x":"\"model\":1","model":"b"}`,
      String.raw`{"x":"\"model\":1","model":"N"}`,
    ],
    ["twice: servers differ in which they read", '{"model":"a","model":"b"}', '{"model":"N","model":"N"}'],
    ["written with escapes", String.raw`{"m\u006fdel":"a"}`, String.raw`{"m\u006fdel":"N"}`],
    ["as an object", '{"model":{"a":[1,"}"]},"x":1}', '{"model":"N","x":1}'],
    ["absent", '{"x":12345678901234567890}', '{"x":12345678901234567890}'],
  ])("%s", (_what, text, expected) => {
    expect(replaceField(text, "model", "N")).toBe(expected);
  });

  test("of any object, in any notation", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          fc.jsonValue(),
        ),
        fc.jsonValue(),
        fc.nat(4),
        (rest, value, indent) => {
          const others = { ...rest, model: value };
          const text = JSON.stringify(others, null, indent);
          expect(JSON.parse(replaceField(text, "model", "N"))).toEqual(
            JSON.parse(JSON.stringify({ ...others, model: "N" })),
          );
        },
      ),
    );
  });
});
