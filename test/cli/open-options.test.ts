// Command lines with options that are parameters of a tool.
import { expect, test } from "bun:test";
import { sorted, wordsOf } from "../../cli/open-options";

const KNOWN = {
  withValue: new Set(["--user", "-o", "--output", "--input"]),
  bare: new Set(["--no-browser", "-h"]),
};

test.each([
  ["joins an unknown option with the next word", "exec T --a b", "exec T --a=b"],
  ["joins before the tool's name", "exec --a b T", "exec T --a=b"],
  ["leaves a declared option in place", "exec T --a b --user alice", "exec T --user alice --a=b"],
  ["a value that begins with a dash", "exec T --a -o_no", "exec T --a=-o_no"],
  ["a negative number", "exec T --a -5", "exec T --a=-5"],
  ["no value before another option", "exec T --a --b c", "exec T --a --b=c"],
  ["no value before a declared option", "exec T --a -o json", "exec T -o json --a"],
  ["no value at the end", "exec T --a", "exec T --a"],
  ["leaves a value after = unchanged", "exec T --a=--user --b==x", "exec T --a=--user --b==x"],
  ["a declared option with =", "exec T --user=x y", "exec T --user=x y"],
  ["a declared option without a value", "exec T --no-browser x", "exec T --no-browser x"],
  ["- as a value", "exec T --input -", "exec T --input -"],
  ["changes nothing after --", "exec T -- --a b", "exec T -- --a b"],
])("%s", (_what, line, expected) => {
  expect(sorted(line.split(" "), KNOWN)).toEqual(expected.split(" "));
});

test("words are neither options nor their values", () => {
  expect(wordsOf(["-o", "json", "tools", "exec", "--x", "T"], KNOWN)).toEqual(["tools", "exec", "T"]);
});
