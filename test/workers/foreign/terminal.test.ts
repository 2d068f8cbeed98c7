// Tools with the schemas of real servers at the terminal: help, JSON values, errors, and what arrives at the server.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { jsonOf, newTerminal } from "../../cli/support/fake-io";
import { Upstream } from "../../support/mcp-upstream";

const PLAN = {
  name: "plan-task",
  description: "Plans it.\u202e",
  inputSchema: {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: {
      Step: {
        type: "object",
        description: "A step.",
        properties: { title: { type: "string" }, next: { $ref: "#/definitions/Step" } },
        required: ["title"],
        additionalProperties: false,
      },
      Mode: { type: "string", enum: ["fast", "slow"], description: "How." },
    },
    type: "object",
    properties: {
      first: { $ref: "#/definitions/Step" },
      mode: { $ref: "#/definitions/Mode" },
      count: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
      id: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
      target: { oneOf: [{ type: "string" }, { type: "object" }] },
      "user-name": { type: "string" },
      user_name: { type: "integer" },
    },
    required: ["first"],
  },
};
const BAD = [
  { name: "list", inputSchema: { type: "array" } },
  { name: "deep", inputSchema: JSON.parse(`${'{"a":'.repeat(900)}1${"}".repeat(900)}`) },
  { name: "", inputSchema: { type: "object" } },
];

let upstream: Upstream;
/** The bodies of calls, as they arrived. */
const arrived: string[] = [];
beforeAll(() => {
  upstream = new Upstream({
    capabilities: { tools: {} },
    before: async (request) => {
      const text = await request.clone().text();
      if (text.includes('"tools/call"')) arrived.push(text);
      return undefined;
    },
    methods: {
      "tools/list": () => ({ tools: [PLAN, ...BAD] }),
      "tools/call": () => ({ content: [{ type: "text", text: "planned" }] }),
    },
  });
});
afterAll(() => upstream[Symbol.asyncDispose]());
beforeEach(() => arrived.splice(0));

async function terminal() {
  const made = newTerminal({ RUNTIME_EGRESS_ALLOW: `127.0.0.1:${upstream.port}` });
  const { code } = await made.run(["workers", "create", upstream.url, "--id", "planner", "--yes"]);
  expect(code).toBe(0);
  return made;
}

const RUN = ["tools", "exec", "Planner.plan_task", "--user", "alice"];

test("tools that cannot be offered are shown with their reasons, the others work", async () => {
  const { run } = await terminal();
  const { skipped } = jsonOf(await run(["workers", "show", "planner", "-o", "json"])) as {
    skipped: object[];
  };
  expect(skipped).toContainEqual({
    name: "list",
    reason: expect.stringContaining("does not describe an object"),
  });
  expect(skipped).toContainEqual({ name: "deep", reason: expect.stringContaining("64 levels") });
  expect(skipped.length).toBeGreaterThanOrEqual(3);
});

test("help shows types after references, closed lists, and what objects are made of", async () => {
  const { run } = await terminal();
  const { stdout } = await run([...RUN.slice(0, 3), "--help"]);
  expect(stdout).toMatch(/^--first +json +yes +JSON with title, next\?\. A step\./m);
  expect(stdout).toMatch(/^--mode +string +One of: fast, slow\. How\./m);
  expect(stdout).toMatch(/^--count +integer +null/m);
  expect(stdout).toMatch(/^--tags +array of string/m);
  expect(stdout).toMatch(/^--target +json/m);
});

test("values arrive as the schema wants them, integers with all their digits", async () => {
  const { run } = await terminal();
  const words = [
    "--first",
    '{"title":"a","next":{"title":"b"}}',
    "--count",
    "3",
    "--id",
    "12345678901234567890",
  ];
  const more = ["--tags", "x", "--tags", "y", "--target", "5", "--user-name", "ann", "--user_name", "7"];
  const ran = await run([...RUN, ...words, ...more]);

  expect([ran.code, ran.stdout]).toEqual([0, "planned\n"]);
  expect(arrived).toHaveLength(1);
  expect(arrived[0]).toContain(
    '"arguments":{"first":{"title":"a","next":{"title":"b"}},"count":3,"id":12345678901234567890,"tags":["x","y"],"target":"5","user-name":"ann","user_name":7}',
  );
});

describe("an input that the schema refuses is not sent:", () => {
  test.each<[string, string[], string]>([
    [
      "a wrong member inside",
      ["--first", '{"title":"a","next":{"title":1}}'],
      "first.next.title must be string",
    ],
    [
      "an unknown member inside",
      ["--first", '{"title":"a","sk_secret":1}'],
      "first has a member that is not known. It takes: title, next",
    ],
    [
      "a value of a closed list",
      ["--first", '{"title":"a"}', "--mode", "fsat"],
      "mode must be one of fast, slow (nearest: fast)",
    ],
    ["text for an object", ["--first", "a"], "first must be object"],
  ])("%s", async (_what, words, message) => {
    const { run } = await terminal();
    const ran = await run([...RUN, ...words]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain("sk_secret");
    expect(arrived).toEqual([]);
  });
});

test("a listing has the flat types and a clean description, each format its schema", async () => {
  const { run } = await terminal();
  const tool = jsonOf(await run(["tools", "show", "Planner.plan_task", "-o", "json"])) as {
    description: string;
    input: { parameters: { name: string; value_schema: object }[] };
  };
  expect(tool.description).toBe("Plans it.");
  expect(
    Object.fromEntries(tool.input.parameters.map(({ name, value_schema }) => [name, value_schema])),
  ).toEqual({
    first: { val_type: "json" },
    mode: { val_type: "string", enum: ["fast", "slow"] },
    count: { val_type: "integer" },
    id: { val_type: "integer" },
    tags: { val_type: "array", inner_val_type: "string" },
    target: { val_type: "json" },
    "user-name": { val_type: "string" },
    user_name: { val_type: "integer" },
  });
});
