import { expect, test } from "bun:test";
import { printable, printableJson, printableLines } from "../../cli/printable";

test.each([
  ["colour", "\u001b[31mred", "\\x1b[31mred"],
  ["a bell and a title", "\u001b]0;title\u0007", "\\x1b]0;title\\x07"],
  ["8-bit escape", "\u009b31m", "\\x9b31m"],
  ["a carriage return", "ok\rfailed", "ok\\rfailed"],
  ["lines", "a\nb\tc", "a\\nb\\tc"],
  ["a change of direction", "abc\u202Efdp", "abc\\u202efdp"],
  ["letters of all scripts", "grüße 日本 🎉", "grüße 日本 🎉"],
])("%s", (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("keeps line ends in whole texts", () => {
  expect(printableLines("a\n\tb\u001b[2J")).toBe("a\n\tb\\x1b[2J");
});

test("keeps JSON equivalent and escapes control characters", () => {
  const value = { text: "a\u001b[0m\u009b31m\u007f\u202e" };

  const text = printableJson(JSON.stringify(value));

  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual(value);
});
