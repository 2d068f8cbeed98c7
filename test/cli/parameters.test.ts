// A tool's parameters from the command line.
import { describe, expect, test } from "bun:test";
import { NO_VALUE } from "../../cli/open-options";
import { readParameters } from "../../cli/parameters";
import type { ToolRecord } from "../../src/tools";

type Parameter = ToolRecord["input"]["parameters"][number];
type Type = Parameter["value_schema"]["val_type"];

function parameter(name: string, val_type: Type, inner?: Exclude<Type, "array">): Parameter {
  const value_schema = inner === undefined ? { val_type } : { val_type, inner_val_type: inner };
  return { name, value_schema, required: false, inferrable: true };
}

const PARAMETERS = [
  parameter("value", "string"),
  parameter("channel_name", "string"),
  parameter("limit", "integer"),
  parameter("ratio", "number"),
  parameter("exclude_bots", "boolean"),
  parameter("emails", "array", "string"),
  parameter("rows", "array", "integer"),
  parameter("cells", "array", "json"),
  parameter("options", "json"),
];

const read = (...words: string[]) => readParameters(words, PARAMETERS).input;

describe("takes everything after the first = as the value", () => {
  test.each([
    ["=@here", "@here"],
    ["==SUM(A1:A2)", "=SUM(A1:A2)"],
    ["=a=b==", "a=b=="],
    ["=@missing.json", "@missing.json"],
    ["=", ""],
    ["=00123", "00123"],
    ["=--user x", "--user x"],
  ])("value%s", (written, value) => {
    expect(read(`--value${written}`)).toEqual({ value });
    expect(read(`value${written}`)).toEqual({ value });
  });
});

describe("accepts names with - or _", () => {
  test.each(["--channel_name=x", "--channel-name=x", "channel_name=x", "channel-name=x"])("%s", (word) => {
    expect(read(word)).toEqual({ channel_name: "x" });
  });
});

describe("a value", () => {
  test.each<[string, string[], { [name: string]: unknown }]>([
    [
      "of an integer is converted by the runtime",
      ["--limit=1234567890123456789"],
      { limit: "1234567890123456789" },
    ],
    ["of a number is parsed", ["--ratio=-0.5e3"], { ratio: -500 }],
    ["of an invalid number stays text", ["--ratio=half"], { ratio: "half" }],
    ["of a boolean is optional", ["--exclude-bots"], { exclude_bots: "true" }],
    ["of a boolean can be set", ["--exclude_bots=false"], { exclude_bots: "false" }],
    ["of a list is its JSON text", ['--emails=["a","b"]'], { emails: '["a","b"]' }],
    ["of a list can be repeated", ["--emails=a", "--emails=b,c"], { emails: ["a", "b,c"] }],
    ["of a list can be single", ["--emails=a"], { emails: ["a"] }],
    ["of a list of numbers can be repeated", ["--rows=1", "--rows=2"], { rows: [1, 2] }],
    ["of a list keeps long ids", ["--rows=1234567890123456789"], { rows: ["1234567890123456789"] }],
    ["of a list of lists can be repeated", ['--cells=["a"]', '--cells=["b"]'], { cells: [["a"], ["b"]] }],
    ["of JSON is parsed", ['--options={"a":1234567890123456789}'], { options: { a: "1234567890123456789" } }],
    ["of JSON can be text", ["--options=plain"], { options: "plain" }],
  ])("%s", (_what, words, expected) => {
    expect(read(...words)).toEqual(expected);
  });
});

describe("rejects and names the parameter", () => {
  test.each<[string, string[], string]>([
    ["an unknown name", ["--chanel_name=SECRET"], "no parameter --chanel_name. Did you mean --channel_name?"],
    ["a name unlike any other", ["--zzzzzzzzzzzz=SECRET"], "It takes: value, channel_name"],
    ["a missing value", ["--limit"], "--limit needs a value"],
    ["a missing value before an option", ["--limit", NO_VALUE], "--limit needs a value"],
    ["a missing value before --", ["--limit", "--", "value=x"], "--limit needs a value"],
    ["an option after --", ["--", "--value", "x"], "--name value or name=value"],
    ["two values for one parameter", ["--value=SECRET", "--value=b"], "--value occurs more than once"],
    ["a word that is neither flag nor parameter", ["SECRET"], "--name value or name=value"],
  ])("%s", (_what, words, message) => {
    expect(() => read(...words)).toThrow(message);
    expect(() => read(...words)).not.toThrow("SECRET");
  });
});

describe("the next word", () => {
  test.each<[string, string[], { [name: string]: unknown }]>([
    ["is the value", ["--value", "x"], { value: "x" }],
    ["is the value if it looks like a short option", ["--value", "-h"], { value: "-h" }],
    ["is the value if it looks like a parameter", ["--value", "--limit"], { value: "--limit" }],
    ["is the value if it is empty", ["--value", ""], { value: "" }],
    ["is the value of a flag", ["--exclude-bots", "false"], { exclude_bots: "false" }],
    [
      "is not the value of a flag if it is a parameter",
      ["--exclude-bots", "--limit", "3"],
      { exclude_bots: "true", limit: "3" },
    ],
    ["is a parameter", ["--exclude-bots", "limit=3"], { exclude_bots: "true", limit: "3" }],
    [
      "after -- is a parameter",
      ["--exclude-bots", "--", "value=--x"],
      { exclude_bots: "true", value: "--x" },
    ],
  ])("%s", (_what, words, expected) => {
    expect(read(...words)).toEqual(expected);
  });

  test.each([
    [
      ["--exclude-bots", "-o", "json"],
      ["-o", "json"],
    ],
    [["--exclude-bots", "-ojson"], ["-ojson"]],
    [["--exclude-bots", "-h"], ["-h"]],
    [["--value", "-h"], []],
  ])("of a flag may be an option of the command: %j", (words, options) => {
    expect(readParameters(words, PARAMETERS).options).toEqual(options);
  });
});
