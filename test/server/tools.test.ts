// Listing tools: names in all their forms, filters, formats, and missing requirements of users.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Own, startOwn } from "./own";

let own: Own;
let key = "";
beforeAll(async () => {
  own = await startOwn();
  key = await own.key("read");
});
afterAll(() => own[Symbol.asyncDispose]());

const get = (path: string) => api(own.url, key).get(path);
const filtered = (filter: unknown) =>
  get(`/v1/tools?filter=${encodeURIComponent(typeof filter === "string" ? filter : JSON.stringify(filter))}`);
const namesIn = (body: unknown) => (at(body, "items") as { name: string }[]).map(({ name }) => name);

describe("a tool is found", () => {
  test.each([
    ["TestKit.Echo", "Echo"],
    ["TestKit_Echo", "Echo"],
    ["testkit.echo", "Echo"],
    ["TESTKIT_ECHO", "Echo"],
    ["TestKit.Echo@2.1.0", "Echo"],
    ["testkit_echo@2.1.0", "Echo"],
    ["TestKit.Tell_Secret", "Tell_Secret"],
    ["TestKit_Tell_Secret", "Tell_Secret"],
    ["testkit_tell_secret@2.1.0", "Tell_Secret"],
  ])("as %s", async (name, found) => {
    const { status, body } = await get(`/v1/tools/${name}`);
    expect({ status, name: at(body, "name") }).toEqual({ status: 200, name: found });
  });
});

describe("a tool is not found", () => {
  test.each([
    ["TestKit.Ecko", "tool_not_found", "did you mean TestKit.Echo?"],
    ["TestKit_Ecko", "tool_not_found", "did you mean TestKit.Echo?"],
    ["testkt.echo", "tool_not_found", "did you mean TestKit.Echo?"],
    ["TestKit.TellSecret", "tool_not_found", "did you mean TestKit.Tell_Secret?"],
    ["Unrelated.Thing", "tool_not_found", 'There is no tool "Unrelated.Thing".'],
    ["TestKit.Echo@9.9.9", "tool_not_found", "has no version"],
    ["TestKit.Echo@2.1", "tool_not_found", "has no version"],
    ["TestKit.Echo@", "tool_not_found", "has no version"],
    ["TestKit.Echo@2.1.0@2.1.0", "tool_not_found", "There is no tool"],
    ["TestKit.", "tool_not_found", "There is no tool"],
    [".Echo", "tool_not_found", "There is no tool"],
    ["TestKit.Echo.More", "tool_not_found", "There is no tool"],
    ["Echo", "malformed_request", "failed to parse tool name"],
    ["echo", "malformed_request", "failed to parse tool name"],
    ["%3Cscript%3E", "malformed_request", "failed to parse tool name: it must be"],
    ["__proto__", "tool_not_found", "There is no tool"],
    ["constructor.constructor", "tool_not_found", "There is no tool"],
  ])("as %s: %s, %s", async (name, error, text) => {
    const { status, body } = await get(`/v1/tools/${name}`);
    expect({ status, name: at(body, "name") }).toEqual({ status: 400, name: error });
    expect(at(body, "message")).toContain(text);
    expect(at(body, "message")).not.toContain("<");
  });
});

test("a record says what a tool takes, needs and does", async () => {
  const { body } = await get("/v1/tools/TestKit.Echo");
  const parameter = (name: string, value_schema: object, description: string) => ({
    name,
    value_schema,
    description,
    required: false,
    inferrable: true,
  });
  expect(body).toMatchObject({
    fully_qualified_name: "TestKit.Echo@2.1.0",
    qualified_name: "TestKit.Echo",
    name: "Echo",
    toolkit: { name: "TestKit", description: "Tools of a test.", version: "2.1.0" },
    description: "Answers its input.",
    requirements: { met: true },
  });
  expect(at(body, "input.parameters")).toEqual([
    parameter("text", { val_type: "string" }, "A text."),
    parameter("count", { val_type: "integer" }, "A number."),
    parameter("flag", { val_type: "boolean" }, "A switch."),
    parameter("names", { val_type: "array", inner_val_type: "string" }, "A list."),
  ]);
  expect(at(body, "metadata.behavior.operations")).toEqual(["read"]);
});

describe("the list", () => {
  test("is sorted by name", async () => {
    expect(namesIn((await get("/v1/tools")).body)).toEqual(["Echo", "Fail", "Tell_Secret"]);
  });

  test.each([
    ["TestKit", 3],
    ["testkit", 3],
    ["TESTKIT", 3],
    ["Test", 0],
    ["TestKit.Echo", 0],
    ["%25", 0],
  ])("of the toolkit %s has %d", async (toolkit, count) => {
    expect(at((await get(`/v1/tools?toolkit=${toolkit}`)).body, "total_count")).toBe(count);
  });

  test.each([
    ["nothing", {}, ["Echo", "Fail", "Tell_Secret"]],
    ["a domain", { service_domains: ["messaging"] }, ["Echo"]],
    ["a domain in another case", { service_domains: ["MESSAGING"] }, ["Echo"]],
    ["one of several domains", { service_domains: ["email", "crm"] }, ["Echo"]],
    ["any_of", { operations: { any_of: ["read", "delete"] } }, ["Echo", "Fail", "Tell_Secret"]],
    ["all_of", { operations: { all_of: ["update", "delete"] } }, ["Fail", "Tell_Secret"]],
    ["all_of with one too many", { operations: { all_of: ["update", "read"] } }, []],
    ["none_of", { operations: { none_of: ["delete"] } }, ["Echo"]],
    ["none_of where nothing is said", { service_domains: { none_of: ["crm"] } }, ["Fail", "Tell_Secret"]],
    ["an empty list", { operations: [] }, []],
    ["read_only", { read_only: true }, ["Echo"]],
    ["not read_only", { read_only: false }, ["Fail", "Tell_Secret"]],
    ["two conditions", { read_only: false, operations: ["read"] }, []],
    ["open_world", { open_world: true }, []],
    ["extras", { extras: { Tier: "gold", level: 3 } }, ["Echo"]],
    ["extras in another case", { extras: { Tier: "Gold" } }, []],
    ["extras that are lists", { extras: { tags: ["a", "b"] } }, ["Echo"]],
    ["extras that are not there", { extras: { other: null } }, []],
  ])("filtered by %s", async (_what, filter, names) => {
    const { status, body } = await filtered(filter);
    expect({ status, names: namesIn(body) }).toEqual({ status: 200, names });
    expect(at(body, "total_count")).toBe(names.length);
  });

  test.each([
    ["broken JSON", "{"],
    ["no JSON", "read_only"],
    ["a list", []],
    ["null", "null"],
    ["a text", '"x"'],
    ["an unknown key", { readonly: true }],
    ["a key of the prototype", '{"__proto__": true}'],
    ["a switch that is text", { read_only: "true" }],
    ["a switch that is null", { read_only: null }],
    ["a domain that is text", { service_domains: "messaging" }],
    ["a domain that is a number", { service_domains: [1] }],
    ["an unknown condition", { operations: { some_of: ["read"] } }],
    ["a condition that is text", { operations: { any_of: "read" } }],
    ["extras that are a list", { extras: [] }],
    ["10,001 characters", JSON.stringify({ operations: ["x".repeat(10_000)] })],
  ])("refuses a filter of %s", async (_what, filter) => {
    const { status, body, text } = await filtered(filter);
    expect({ status, text }).toEqual({ status: 400, text });
    expect(at(body, "message")).toContain("filter");
  });
});

describe("include_format", () => {
  const formats = async (query: string) => {
    const { body } = await get(`/v1/tools/TestKit.Echo?${query}`);
    return Object.keys((at(body, "formatted_schema") ?? {}) as object);
  };

  test.each([
    ["", []],
    ["include_format=", []],
    ["include_format=openai", ["openai"]],
    ["include_format=arcade,openai", ["arcade", "openai"]],
    ["include_format=arcade&include_format=anthropic", ["arcade", "anthropic"]],
    ["include_format=arcade,openai&include_format=anthropic,openai", ["arcade", "openai", "anthropic"]],
  ])("%p adds %p", async (query, expected) => {
    expect(await formats(query)).toEqual(expected);
  });

  test.each([
    "/v1/tools?include_format=yaml",
    "/v1/tools?include_format=openai,yaml",
    "/v1/tools?include_format=OpenAI",
    "/v1/tools?include_format=yaml&toolkit=none",
    "/v1/tools/TestKit.Echo?include_format=yaml",
  ])("%s is 400 and names the formats", async (path) => {
    const { status, body } = await get(path);
    expect({ status, name: at(body, "name") }).toEqual({ status: 400, name: "unsupported_format" });
    for (const format of ["arcade", "openai", "anthropic"]) expect(at(body, "message")).toContain(format);
  });

  test("names tools as models can", async () => {
    const { body } = await get("/v1/tools/TestKit.Tell_Secret?include_format=openai,anthropic");
    expect(at(body, "formatted_schema.openai.function.name")).toBe("TestKit_Tell_Secret");
    expect(at(body, "formatted_schema.anthropic.name")).toBe("TestKit_Tell_Secret");
  });
});

describe("a secret that a tool needs", () => {
  test("is shown as unmet, then as met, never with its value", async () => {
    const { runtime } = own;
    const read = async () => (await get("/v1/tools/TestKit.Tell_Secret?user_id=alice")).body;
    expect(at(await read(), "requirements")).toEqual({
      met: false,
      secrets: [
        {
          key: "TEST_SECRET",
          met: false,
          status_reason:
            "secret not found: TEST_SECRET. An administrator sets it: runtime secrets set TEST_SECRET",
        },
      ],
    });
    const operator = await runtime.identity.operator("default");
    await runtime.secrets.upsert(operator, "test_secret", { value: "s3cr3t" });
    const shown = await read();
    expect(at(shown, "requirements")).toEqual({ met: true, secrets: [{ key: "TEST_SECRET", met: true }] });
    expect(JSON.stringify(shown)).not.toContain("s3cr3t");
    await runtime.secrets.delete(operator, "TEST_SECRET");
  });
});
