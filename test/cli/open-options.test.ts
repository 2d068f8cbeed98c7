// Command lines with options that are parameters of a tool.
import { describe, expect, test } from "bun:test";
import { NO_VALUE, sorted, wordsOf } from "../../cli/open-options";

const KNOWN = {
  withValue: new Set(["--user", "-o", "--output", "--input"]),
  bare: new Set(["--no-browser", "-h"]),
};

const split = (line: string) => sorted(line.split(" "), KNOWN, 2);

describe("separates declared options from parameters", () => {
  test.each<[string, string, string, string[]]>([
    ["a parameter takes the next word", "exec T --a b", "exec T", ["--a", "b"]],
    ["before the tool's name", "exec --a b T", "exec T", ["--a", "b"]],
    ["before a declared option", "exec T --a b --user alice", "exec T --user alice", ["--a", "b"]],
    ["a value that begins with a dash", "exec T --a -o_no", "exec T", ["--a", "-o_no"]],
    ["a value that is a short option", "exec T --a -h", "exec T", ["--a", "-h"]],
    ["a negative number", "exec T --a -5", "exec T", ["--a", "-5"]],
    ["a parameter before another", "exec T --a --b c", "exec T", ["--a", "--b", "c"]],
    ["a short option with its value", "exec T --a -o json", "exec T", ["--a", "-o", "json"]],
    ["a declared long option ends it", "exec T --a --user x", "exec T --user x", ["--a", NO_VALUE]],
    ["also with =", "exec T --a --user=x", "exec T --user=x", ["--a", NO_VALUE]],
    ["no value at the end", "exec T --a", "exec T", ["--a"]],
    ["a value after =", "exec T --a=--user --b==x", "exec T", ["--a=--user", "--b==x"]],
    ["a declared option with =", "exec T --user=x y", "exec T --user=x y", []],
    ["a declared option without a value", "exec T --no-browser x", "exec T --no-browser x", []],
    ["- as a value", "exec T --input -", "exec T --input -", []],
    ["-- ends the options", "exec T -- --a b=--c", "exec T", ["--", "--a", "b=--c"]],
    ["-- after a parameter too", "exec T --a -- b=-h", "exec T", ["--a", "--", "b=-h"]],
    ["-- before the tool's name", "exec -- T a=b", "exec T", ["--", "a=b"]],
  ])("%s", (_what, line, declared, parameters) => {
    const { help, ...parts } = split(line);

    expect(parts).toEqual({ declared: declared.split(" "), parameters });
    expect(help).toBe(false);
  });
});

test.each([
  ["exec T -h", true],
  ["exec -h T", true],
  ["exec T --help", true],
  ["exec T --a -h", false],
  ["exec T --user -h", false],
  ["exec T -- -h", false],
])("%s requests help: %p", (line, help) => {
  expect(split(line).help).toBe(help);
});

test("words are neither options nor their values", () => {
  expect(wordsOf(["-o", "json", "tools", "exec", "--x", "T"], KNOWN)).toEqual(["tools", "exec", "T"]);
});
