// Input that is compared with many candidates: names, lists and errors are bounded before any search, so that the work is
// never the product of what was sent and what is there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { extensions } from "../../catalogs";
import { closest } from "../../catalogs/chat/resolve/not-found";
import { fieldErrors, nearest } from "../../src/base";
import { Registry } from "../../src/tools/registry";
import { api, at } from "../support/api";
import { growthOf } from "../support/growth";
import { connect, type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
});
afterAll(() => stage[Symbol.asyncDispose]());

const execute = (tool_name: string, input: object) =>
  api(stage.site.url, stage.keys.run).post("/v1/tools/execute", { tool_name, user_id: "alice", input });

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `name-${index}`);

describe("a name that nothing has", () => {
  test("of 4 MB is refused without a search", async () => {
    const answer = await execute("Chat.SendMessage", { ["n".repeat(4_000_000)]: 1 });
    const message = String(at(answer.body, "output.error.message"));
    expect(message).toContain("There is no parameter with this name. Leave it out. The tool takes: message,");
  });

  test("is compared with the candidates up to 200 characters, and with 2,000 of them", () => {
    expect(nearest("n".repeat(201), ["n".repeat(201)])).toBeUndefined();
    expect(nearest("n".repeat(200), ["n".repeat(199)])).toBe("n".repeat(199));
    expect(nearest("wanted", [...many(2000), "wanted"])).toBeUndefined();
    expect(nearest("wanted", [...many(1999), "wanted"])).toBe("wanted");
  });

  test("of a tool is refused before it is split", async () => {
    const answer = await execute("_".repeat(4_000_000), {});
    expect([answer.status, at(answer.body, "name")]).toEqual([400, "malformed_request"]);
    const registry = new Registry(extensions.catalogs);
    expect(() => registry.find("_".repeat(501))).toThrow("such a long name");
  });
});

describe("a list of a tool", () => {
  test.each([
    ["Chat.GetUsersInfo", "usernames"],
    ["Chat.GetUsersInfo", "user_ids"],
    ["Chat.GetUsersInfo", "emails"],
    ["Chat.SendMessage", "usernames"],
    ["Chat.ListConversations", "conversation_types"],
    ["Chat.GetMultiPersonDmConversationMetadataByUsernames", "usernames"],
  ])("%s: 90,000 %s are refused", async (tool, parameter) => {
    const input = { [parameter]: many(90_000), ...(tool === "Chat.SendMessage" ? { message: "m" } : {}) };
    const answer = await execute(tool, input);
    expect(at(answer.body, "output.error.message")).toContain(
      `${parameter} must have at most 1000 entries; it has 90000`,
    );
  });

  test("is refused as JSON text as well", async () => {
    const answer = await execute("Chat.GetUsersInfo", { usernames: JSON.stringify(many(1001)) });
    expect(at(answer.body, "output.error.message")).toContain("at most 1000 entries");
  });

  test("with a huge entry is refused", async () => {
    const answer = await execute("Chat.GetUsersInfo", { usernames: ["u".repeat(1_000_000)] });
    expect(at(answer.body, "output.error.message")).toContain("at most 100000 characters");
  });

  test("of 1,000 names is answered with some of them", async () => {
    const answer = await execute("Chat.GetUsersInfo", { usernames: many(1000) });
    const message = String(at(answer.body, "output.error.message"));
    expect(message).toContain("name-19 and 980 more");
    expect(message.length).toBeLessThan(1000);
  });
});

test("suggestions for many names take the time of a few", () => {
  const people = many(300).map((name) => ({ name }));
  const grow = growthOf(1000, (size) => () => closest(many(size), people, ({ name }) => [name], 5));
  expect(grow).toBeLessThan(3);
  printFigure("product of lists", `suggestions for four times the names: ${grow.toFixed(1)} times the time`);
});

describe("a value that breaks its schema in many places", () => {
  const schema = Type.Object({
    short: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    open: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Object({ x: Type.Integer() })]))),
  });

  test("names the list that is too long, and none of its entries", () => {
    expect(fieldErrors(schema, { short: Array.from({ length: 200_000 }, () => 1) })).toEqual([
      { field: "short", rule: "maxItems", message: "must not have more than 100 items" },
    ]);
  });

  test("is looked at in part", () => {
    const grow = growthOf(25_000, (size) => {
      const value = { open: Array.from({ length: size }, () => ({ x: "no" })) };
      return () => fieldErrors(schema, value);
    });
    expect(grow).toBeLessThan(10);
    const late = { open: [...many(6000), 1] };
    expect(fieldErrors(schema, late)).toEqual([{ field: "", rule: "schema", message: "has the wrong form" }]);
  });
});
