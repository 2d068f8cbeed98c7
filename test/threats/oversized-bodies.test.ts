// Bodies that are too large, too deep or have too many values are refused before anything walks them, and the server goes
// on. Documents from elsewhere (hooks, platforms, tokens) are refused for their depth as well.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, parsePlainJson } from "../../src/base";
import { exceededLimit, isDeeper } from "../../src/base/json-text";
import { growsTooFast } from "../support/growth";
import { at, call } from "../support/api";
import { type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

const keys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
const ofObjects = (count: number, each: string): string => Array<string>(count).fill(each).join(",");

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Sent as `input` of a run. */
const REFUSED: [string, string, string][] = [
  ["201 levels of lists", `${"[".repeat(200)}${"]".repeat(200)}`, "deeper than 200 levels"],
  ["a million levels of lists", "[".repeat(1_000_000), "deeper than 200 levels"],
  ["a million levels of objects", '{"a":'.repeat(700_000), "deeper than 200 levels"],
  ["5,001 keys in one object", `{${keys(5001)}}`, "more than 5000 keys"],
  ["100,001 keys", `[${ofObjects(25_001, '{"a":1,"b":2,"c":3,"d":4}')}]`, "more than 100000 keys"],
  ["100,001 list entries", `[${ofObjects(100_001, "1")}]`, "more than 100000 list entries"],
  ["100,001 lists", `[${ofObjects(50_001, "[]")}]`, "more than 100000 list entries"],
];

describe("a body is refused with the limit that it exceeds", () => {
  test.each(REFUSED)("%s", async (_name, value, message) => {
    const raw = `{"tool_name":"Chat.WhoAmI","user_id":"alice","input":${value}}`;
    const request = { method: "POST", path: "/v1/tools/execute", key: stage.keys.run, raw };

    const answer = await call(stage.site.url, request);

    expect(answer.status).toBe(400);
    expect(at(answer.body, "message")).toContain(message);
    expect((await call(stage.site.url, { method: "GET", path: "/v1/health" })).status).toBe(200);
  });

  test("and the same at a gateway", async () => {
    const operator = await stage.site.runtime.identity.operator("default");
    const gateway = { name: "Limits", slug: "limits", auth_type: "arcade_header" } as const;
    await stage.site.runtime.gateways.create(operator, gateway);
    for (const [, value] of REFUSED) {
      const response = await fetch(`${stage.site.url}/mcp/limits`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${stage.keys.run}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "x-user-id": "alice",
        },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${value}}}`,
      });
      expect(response.status).toBe(400);
      await response.bytes();
    }
    printFigure("oversized and deep bodies", `${REFUSED.length} kinds refused at the API and at gateways`);
  });

  test("brackets, commas and colons inside of strings do not count", async () => {
    const value = JSON.stringify(`"[{,:\\`.repeat(150_000));
    const raw = `{"value":${value}}`;
    const request = { method: "POST", path: "/v1/admin/secrets/TEXT", key: stage.keys.admin, raw };

    expect(at((await call(stage.site.url, request)).body, "message")).toContain("more than 5000 characters");
  });
});

describe("a document from elsewhere", () => {
  test.each([parseJson, parsePlainJson])("that is too deep is not parsed", (parse) => {
    expect(parse(`${"[".repeat(1000)}${"]".repeat(1000)}`)).toBeArray();
    expect(() => parse(`${"[".repeat(1001)}${"]".repeat(1001)}`)).toThrow("nested too deeply");
    expect(() => parse('{"a":'.repeat(1001) + "1" + "}".repeat(1001))).toThrow("nested too deeply");
  });

  test.each<[string, (size: number) => string]>([
    ["long numbers", (size) => `[${"1234567890123456789,".repeat(size / 20)}1]`],
    ["one long number", (size) => `[${"9".repeat(size)}]`],
    ["a long number before spaces", (size) => `[1234567890123456789${" ".repeat(size)}]`],
    ["a long number and escapes", (size) => JSON.stringify(["1234567890123456789", '"\\'.repeat(size / 2)])],
    ["a text that does not end", (size) => `[1234567890123456789,"${"\\".repeat(size)}"`],
  ])("with %s is parsed in linear time", (_name, text) => {
    const parsed = (size: number) => {
      const made = text(size);
      return () => {
        try {
          parseJson(made);
        } catch {
          // Invalid text must not take long either.
        }
      };
    };

    expect(growsTooFast(parsed)).toBeUndefined();
  });

  test("is counted to the limits exactly", () => {
    const limits = { depth: 2, members: 2, keys: 3, entries: 4 };
    const of = (text: string) => exceededLimit(text, limits);

    expect([of('[{"a":1,"b":2},{"c":3}]'), of('{"a":[1,2,3]}'), of("[[1],1,1]")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([
      of("[[[]]]"),
      of('{"a":1,"b":2,"c":3}'),
      of('[{"a":1,"b":2},{"c":3,"d":4}]'),
      of("[1,2,3,4,5]"),
    ]).toEqual(["depth", "members", "keys", "entries"]);
  });

  test.each([
    ["[[]]", 2],
    ["[[[]]]", 3],
    ['[{"a":[1,2]},[3]]', 3],
    ['{"a":{"b":{}},"[[[[":"]]]]"}', 3],
    [String.raw`["\\",["\"]]]","\\\"[[["]]`, 2],
    ['"[[["', 0],
  ])("has its levels counted: %s", (text, levels) => {
    expect([isDeeper(text, levels), isDeeper(text, levels - 1)]).toEqual([false, levels > 0]);
  });
});
