// A property leaves JSON with comments; everything else stays.
import { expect, test } from "bun:test";
import { withoutProperty } from "../../cli/json-removal";

test.each<[string, string, string]>([
  ["the first", '{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
  ["the last, with the comma before it", '{\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2\n}'],
  ["the only one", '{\n  "a": 1\n}', "{\n}"],
  ["one on the same line", '{"a":1,"b":2}', '{"b":2}'],
  ["the last on the same line", '{"b":2,"a":1}', '{"b":2}'],
  ["one with a trailing comma", '{\n  "b": 2,\n  "a": 1,\n}', '{\n  "b": 2,\n}'],
  [
    "its own comment on the line",
    '{\n  "a": 1, // of a\n  // of b\n  "b": 2 // too\n}',
    '{\n  // of b\n  "b": 2 // too\n}',
  ],
  [
    "not the comment of the one before",
    '{\n  "b": 2, // of b\n  "a": { "c": 3 } // of a\n}',
    '{\n  "b": 2 // of b\n}',
  ],
  ["a comment before its comma stays", '{ "a": 1 /* x */, "b": 2 }', '{  /* x */ "b": 2 }'],
  ["with the line ends of the file", '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}', '{\r\n\t"b": 2\r\n}'],
  ["nothing if it is not there", '{ "b": 2 }', '{ "b": 2 }'],
])("%s", (_what, text, expected) => {
  expect(withoutProperty(text, ["a"])).toBe(expected);
});
