// The two modes: a schema without anything else, and an execution that checks before it sends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { isObject } from "../../../src/base";
import type { ToolError } from "../../../src/tools";
import { convertInput } from "../../../src/tools/input";
import { Platform } from "./platform";
import { MODES, named, READS, PUBLISHED_READS, type Row, rowOf } from "./rows";
import { failureOf, tool, User } from "./run";

let platform: Platform;
let alice: User;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => {
  platform.fresh();
  alice = platform.alice();
});
afterAll(() => platform.sandbox.stop());

const SCHEMA_MODE = { mode: "get_request_schema" };
/** Nobody, without a secret. */
const nobody = new User({ token: "none", serverUrl: null });

function schemaIn(output: unknown): { [key: string]: unknown } {
  if (!isObject(output) || !isObject(output["request_body_schema"])) throw new Error("No schema.");
  return output["request_body_schema"];
}

describe("get_request_schema", () => {
  test.each(named(MODES))("%s answers without secret, grant and upstream", async (name, row) => {
    const output = await nobody.run(name, SCHEMA_MODE);
    expect(output).toEqual({
      request_body_schema: expect.objectContaining({ type: "object" }),
      instructions: expect.stringContaining("`request_body`"),
    });
    for (const parameter of Object.keys(row.input)) {
      expect(JSON.stringify(output)).toContain(`\`${parameter}\``);
    }
    expect(tool(name).waivesRequirements?.(SCHEMA_MODE)).toBe(true);
    expect(tool(name).waivesRequirements?.({ mode: "execute" })).toBe(false);
    expect(platform.sandbox.calls()).toBe(0);
  });

  test.each(named(MODES))("%s ignores all other parameters", async (name, row) => {
    const nonsense = Object.fromEntries(Object.keys(row.input).map((key) => [key, ".. / {nonsense"]));
    const given = { ...nonsense, more: { of: "it" }, ...SCHEMA_MODE };
    expect(await nobody.run(name, given)).toEqual(await nobody.run(name, SCHEMA_MODE));
    const mistyped = Object.fromEntries(Object.keys(row.input).map((key) => [key, { not: "text" }]));
    expect(await nobody.run(name, { ...mistyped, ...SCHEMA_MODE })).toEqual(
      await nobody.run(name, SCHEMA_MODE),
    );
  });

  test.each(named(MODES))("%s: an object made from the schema is accepted by execute", async (name, row) => {
    const { examples } = schemaIn(await nobody.run(name, SCHEMA_MODE));
    if (!Array.isArray(examples)) throw new Error("No examples.");
    expect(examples.length).toBeGreaterThan(0);
    const { input } = await platform.live(row, alice);
    for (const example of examples) {
      const request_body = JSON.stringify(example);
      await alice.run(name, { ...input, request_body }).catch(() => undefined);
      expect(platform.sandbox.requests.at(-1)).toMatchObject({ route: row.route, body: request_body });
    }
  });

  test("the schema is a copy: changes to it affect no other call", async () => {
    const schema = schemaIn(await nobody.run("InsertRecordsInVendorForm", SCHEMA_MODE));
    const before = structuredClone(schema);
    delete schema["properties"];
    expect(schemaIn(await nobody.run("InsertRecordsInVendorForm", SCHEMA_MODE))).toEqual(before);
  });

  test.each([...READS, ...PUBLISHED_READS].map((row): [string] => [row.tool]))("%s has no mode", (name) => {
    expect(tool(name).waivesRequirements).toBeUndefined();
  });
});

describe("the mode itself", () => {
  test.each([undefined, null, "", "EXECUTE", "GET_REQUEST_SCHEMA", "execute ", "dry_run", true])(
    "%j is not a mode",
    async (mode) => {
      for (const { tool: name, input } of MODES) {
        const error = await alice.failure(name, { ...input, mode });
        expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" });
        expect(error.message).toContain("mode");
      }
      expect(platform.sandbox.calls()).toBe(0);
    },
  );
});

/** What each tool refuses as `request_body`, and what its refusal names. */
const COMMON: [string, unknown, string][] = [
  ["missing", undefined, "request_body"],
  ["null", null, "request_body"],
  ["empty", "", "request_body"],
  ["blank", "  \n", "request_body"],
  ["no JSON", "{data:", "must be valid JSON"],
  ["JSON in a fence", "```json\n{}\n```", "must be valid JSON"],
  ["encoded twice", JSON.stringify(JSON.stringify({ data: {} })), "twice"],
  ["a bare list", '[{"field1":"v"}]', "a list"],
  ["a number", "5", "object"],
  ["null in JSON", "null", "object"],
];

describe("execute refuses a body with an error that names it and contains the schema", () => {
  const cases = MODES.flatMap((row) =>
    COMMON.map((each): [string, string, unknown, string, Row] => [row.tool, ...each, row]),
  );
  test.each(cases)("%s: %s", async (name, _, request_body, words, row) => {
    const { input } = await platform.live(row, alice);
    const error = await alice.failure(name, { ...input, request_body });
    expectMendable(error, words);
  });

  test.each(named(MODES))("%s: the object itself instead of its text", async (name, row) => {
    const { input } = await platform.live(row, alice);
    // The conversion leaves it as it is, never as "[object Object]", and lets the tool say what is wrong.
    expect(convertInput(tool(name), { ...input, request_body: { data: [] } })).toHaveProperty(
      "request_body",
      {
        data: [],
      },
    );
    const error = await failureOf(alice.run(name, { ...input, request_body: { data: [] } }));
    expectMendable(error, "must be string");
  });

  test.each<[string, object, string[]]>([
    ["InsertRecordsInVendorForm", {}, ["request_body.data is required"]],
    ["InsertRecordsInVendorForm", { data: [] }, ["request_body.data must not have fewer than 1 items"]],
    [
      "InsertRecordsInVendorForm",
      { data: many(201) },
      ["request_body.data must not have more than 200 items"],
    ],
    ["InsertRecordsInVendorForm", { data: '[{"Name":"Desk"}]' }, ["request_body.data must be array"]],
    ["InsertRecordsInVendorForm", { data: { Name: "Desk" } }, ["request_body.data must be array"]],
    [
      "InsertRecordsInVendorForm",
      { data: ["Desk", {}, 5] },
      ["request_body.data.0 must be object", "request_body.data.2 must be object"],
    ],
    [
      "InsertRecordsInVendorForm",
      { data: [{}], result: { fields: "Name", message: "true", tasks: 1 } },
      [
        "request_body.result.fields must be array",
        "request_body.result.message must be boolean",
        "request_body.result.tasks must be boolean",
      ],
    ],
    ["AddRecordsToVendorForm", { records: [{}] }, ["request_body.data is required"]],
    [
      "UpdateVendorCreatorReportRecords",
      { records: [{}] },
      ["request_body.criteria is required", "request_body.data is required"],
    ],
    [
      "UpdateVendorCreatorReportRecords",
      { criteria: " ", data: {} },
      ["request_body.criteria must not be blank"],
    ],
    [
      "UpdateVendorCreatorReportRecords",
      { criteria: 5, data: [] },
      ["request_body.criteria must be string", "request_body.data must be object"],
    ],
    ["UpdateVendorRecord", { Note: "x" }, ["request_body.data is required"]],
    ["UpdateVendorRecord", { data: '{"Note":"x"}' }, ["request_body.data must be object"]],
    ["DeleteReportRecords", { ids: ["r1"] }, ["request_body.criteria is required"]],
    ["DeleteReportRecords", { criteria: "" }, ["request_body.criteria must not be blank"]],
    ["DeleteVendorRecord", { result: { message: "yes" } }, ["request_body.result.message must be boolean"]],
    ["CreateBulkReadJob", { query: '{"fields":["Name"]}' }, ["request_body.query must be object"]],
    [
      "CreateBulkReadJob",
      { query: { max_records: 99_000 } },
      ["request_body.query.max_records must be >= 100000"],
    ],
    [
      "CreateBulkReadJob",
      { query: { max_records: 201_000 } },
      ["request_body.query.max_records must be <= 200000"],
    ],
    [
      "CreateBulkReadJob",
      { query: { max_records: 100_500 } },
      ["request_body.query.max_records must be multiple of 1000"],
    ],
    [
      "CreateBulkReadJob",
      { query: { max_records: "100000" } },
      ["request_body.query.max_records must be integer"],
    ],
    ["CreateBulkReadJob", { query: { fields: ["Name", 5] } }, ["request_body.query.fields.1 must be string"]],
    [
      "CreateBulkReadJob",
      { query: { record_cursor: "c", fields: ["Name"] } },
      ["request_body.query.record_cursor must be the only field"],
    ],
  ])("%s %j", async (name, body, violations) => {
    const { input } = await platform.live(rowOf(name), alice);
    const error = await alice.failure(name, { ...input, request_body: JSON.stringify(body) });
    expectMendable(error, ...violations);
  });

  test("all violations, not the first few", async () => {
    const { input } = await platform.live(rowOf("InsertRecordsInVendorForm"), alice);
    const request_body = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => index) });
    const error = await alice.failure("InsertRecordsInVendorForm", { ...input, request_body });
    expect(error.message.match(/request_body\.data\.\d+ must be object/g)).toHaveLength(200);
  });

  test("missing parameters are reported before the body, the body's text before its schema", async () => {
    const name = "UpdateVendorRecord";
    const place = await alice.failure(name, { ...rowOf(name).input, record_id: "", request_body: "{" });
    expect(place.message).toContain("record_id");
    expect(place.message).not.toContain("must be valid JSON");
  });

  function expectMendable(error: ToolError, ...words: string[]): void {
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    for (const word of ["`request_body`", ...words]) expect(error.message).toContain(word);
    const { additionalPromptContent, extra } = error.details;
    expect(additionalPromptContent).toContain('"type":"object"');
    expect(extra).toHaveProperty("request_body_schema.type", "object");
    expect(platform.sandbox.requests).toEqual([]);
  }
});

describe("bodies that pass", () => {
  test.each<[string, string]>([
    ["DeleteVendorRecord", "{}"],
    ["DeleteVendorRecord", '{"delete":true}'],
    ["CreateBulkReadJob", "{}"],
    ["CreateBulkReadJob", '{"query":{"max_records":200000}}'],
    ["UpdateVendorRecord", ' {"data": {"Note":"a", "Price" : 1.10}, "result": {} }\n'],
    ["InsertRecordsInVendorForm", '{"data":[{"Name":"Desk"}],"skip_workflow":["form_workflow"]}'],
  ])("%s %s arrives as it was written", async (name, request_body) => {
    const { input } = await platform.live(rowOf(name), alice);
    await alice.run(name, { ...input, request_body });
    expect(platform.sandbox.requests).toMatchObject([{ body: request_body }]);
  });
});

function many(count: number): object[] {
  return Array.from({ length: count }, () => ({ Name: "n" }));
}
