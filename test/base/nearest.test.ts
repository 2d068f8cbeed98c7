// "Did you mean …?": a close candidate, or none.
import { describe, expect, test } from "bun:test";
import { nearest } from "../../src/base";

const TOOLS = ["SendMessage", "GetMessages", "ListUsers", "WhoAmI", "channel_name"];

describe("the nearest name", () => {
  test.each([
    ["the name itself", "ListUsers", "ListUsers"],
    ["a letter missing", "ListUser", "ListUsers"],
    ["a letter too many", "SendMesssage", "SendMessage"],
    ["another letter", "LisdUsers", "ListUsers"],
    ["two neighbours swapped", "ListUsesr", "ListUsers"],
    ["another case", "whoami", "WhoAmI"],
    ["dashes for underscores", "channel-name", "channel_name"],
    ["no separator", "channelname", "channel_name"],
    ["the more similar of two", "GetMessage", "GetMessages"],
  ])("for %s", (_how, name, expected) => {
    expect(nearest(name, TOOLS)).toBe(expected);
  });

  test.each([
    ["nothing alike", "DeleteWorkspace"],
    ["empty text", ""],
    ["a short name, three letters off", "xyz"],
  ])("is undefined for %s", (_how, name) => {
    expect(nearest(name, TOOLS)).toBeUndefined();
  });

  test("is undefined without candidates", () => {
    expect(nearest("ListUsers", [])).toBeUndefined();
  });

  test("is the first of two equally near candidates", () => {
    expect(nearest("ab", ["aa", "bb"])).toBe("aa");
  });

  test("may differ in at most a third of a long name", () => {
    expect([nearest("abcdefxxx", ["abcdefghi"]), nearest("abcdexxxx", ["abcdefghi"])]).toEqual([
      "abcdefghi",
      undefined,
    ]);
  });
});
