// Running tools over HTTP: what a request must be, how input is read, and that a tool's failure is an answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at, call } from "../support/api";
import { type Own, startOwn } from "./own";

let own: Own;
let key = "";
beforeAll(async () => {
  own = await startOwn();
  key = await own.key("run");
});
afterAll(() => own[Symbol.asyncDispose]());

const PATH = "/v1/tools/execute";
const execute = (body: unknown) => api(own.url, key).post(PATH, body);
const echo = (input: unknown) => execute({ tool_name: "TestKit.Echo", user_id: "alice", input });
/** Sends the input as this very JSON text. */
const echoRaw = (input: string) =>
  call(own.url, {
    method: "POST",
    path: PATH,
    key,
    raw: `{"tool_name":"TestKit.Echo","user_id":"alice","input":${input}}`,
  });

describe("a request", () => {
  test("answers with the record of the run", async () => {
    const { status, body } = await echo({ text: "hello" });
    expect(status).toBe(200);
    const { id, execution_id, duration, finished_at, ...rest } = body as Record<string, unknown>;
    expect(rest).toEqual({
      execution_type: "immediate",
      status: "completed",
      success: true,
      output: { value: { text: "hello" } },
    });
    expect([id, execution_id]).toEqual([expect.stringMatching(/^te_/), expect.stringMatching(/^tc_/)]);
    expect(typeof duration).toBe("number");
    expect(finished_at).toMatch(/Z$/);
  });

  test.each(["TestKit.Echo", "TestKit_Echo", "testkit.echo@2.1.0"])("finds %s", async (tool_name) => {
    expect((await execute({ tool_name, user_id: "alice" })).status).toBe(200);
  });

  test.each<[string, object, string, string]>([
    ["without a tool", { tool_name: undefined }, "malformed_request", "tool_name is required"],
    ["with an empty tool name", { tool_name: "" }, "malformed_request", "tool_name must"],
    [
      "with a tool name of 331 letters",
      { tool_name: "x".repeat(331) },
      "malformed_request",
      "tool_name must",
    ],
    [
      "with a tool name that is a list",
      { tool_name: ["TestKit.Echo"] },
      "malformed_request",
      "tool_name must",
    ],
    ["of an unknown tool", { tool_name: "TestKit.Ecko" }, "tool_not_found", "did you mean TestKit.Echo?"],
    ["of a tool without toolkit", { tool_name: "Echo" }, "malformed_request", "failed to parse tool name"],
    ["of an unknown version", { tool_version: "1.0.0" }, "tool_not_found", "no version"],
    ["with a version that is a number", { tool_version: 2 }, "malformed_request", "tool_version must"],
    ["without a user", { user_id: undefined }, "malformed_request", "user_id is required"],
    ["with a null user", { user_id: null }, "malformed_request", "user_id is required"],
    ["with an empty user", { user_id: "" }, "malformed_request", "user_id must"],
    ["with a blank user", { user_id: " " }, "malformed_request", "user_id is required"],
    ["with a user of 257 letters", { user_id: "x".repeat(257) }, "malformed_request", "user_id must"],
    ["with a user that is a number", { user_id: 5 }, "malformed_request", "user_id must be string"],
    ["with a user in a list", { user_id: ["alice"] }, "malformed_request", "user_id must be string"],
    ["with a time to run at that is none", { run_at: "s3cr3t" }, "invalid_parameter", "run_at"],
    ["with a time that is a number", { run_at: 1893456000 }, "malformed_request", "run_at must"],
    ["with input that is a list", { input: [] }, "malformed_request", "input must be object"],
    ["with input that is text", { input: '{"text":"s3cr3t"}' }, "malformed_request", "input must be object"],
    ["with input that is a number", { input: 5 }, "malformed_request", "input must be object"],
    [
      "with a stack trace asked for by text",
      { include_error_stacktrace: "yes" },
      "malformed_request",
      "must be boolean",
    ],
  ])("%s is 400", async (_what, changes, error, text) => {
    const answer = await execute({ tool_name: "TestKit.Echo", user_id: "alice", input: {}, ...changes });
    expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({ status: 400, name: error });
    expect(at(answer.body, "message")).toContain(text);
    expect(answer.text).not.toContain("s3cr3t");
  });

  test.each<[string, object]>([
    ["no input", {}],
    ["null for input", { input: null }],
    ["null for everything else", { tool_version: null, run_at: null, include_error_stacktrace: null }],
    ["unknown fields", { trace: { text: "x" }, project_id: "other" }],
    ["its own version", { tool_version: "2.1.0" }],
  ])("with %s runs", async (_what, changes) => {
    const answer = await execute({ tool_name: "TestKit.Echo", user_id: "alice", ...changes });
    expect({ status: answer.status, value: at(answer.body, "output.value") }).toEqual({
      status: 200,
      value: {},
    });
  });
});

describe("input", () => {
  test.each<[string, string, unknown]>([
    ["a number", '{"count":50}', { count: 50 }],
    ["a number as text", '{"count":"50"}', { count: 50 }],
    ["true as text", '{"flag":"true"}', { flag: true }],
    ["false as text", '{"flag":"false"}', { flag: false }],
    ["a list as text", '{"names":"[\\"a\\",\\"b\\"]"}', { names: ["a", "b"] }],
    ["null", '{"text":null,"count":null,"flag":null,"names":null}', {}],
    ["text that looks like a number", '{"text":"50"}', { text: "50" }],
    ["text that looks like a switch", '{"text":"false"}', { text: "false" }],
    ["text that looks like a list", '{"text":"[1]"}', { text: "[1]" }],
    ["an id of 19 digits as a number", '{"text":1234567890123456789}', { text: "1234567890123456789" }],
    ["a negative one", '{"text":-9223372036854775808}', { text: "-9223372036854775808" }],
    [
      "ids of 19 digits in a list",
      '{"names":[1234567890123456789,"9007199254740993"]}',
      { names: ["1234567890123456789", "9007199254740993"] },
    ],
    [
      "an id of 19 digits in a list as text",
      '{"names":"[1234567890123456789]"}',
      { names: ["1234567890123456789"] },
    ],
    ["the largest safe number", '{"count":9007199254740991}', { count: 9007199254740991 }],
    ["a key of the prototype", '{"__proto__":{"text":"s3cr3t"}}', {}],
    ["a field twice", '{"text":"a","text":"b"}', { text: "b" }],
    ["letters of every kind", '{"text":"\\u00e9 \\ud83d\\ude00 <b>\\\\u0000"}', { text: "é 😀 <b>\\u0000" }],
  ])("%s is read by the table", async (_what, input, value) => {
    const { status, body } = await echoRaw(input);
    expect({ status, value: at(body, "output.value") }).toEqual({ status: 200, value });
  });

  test.each<[string, string, string]>([
    ["a fraction", '{"count":50.5}', "count must be integer"],
    ["a fraction as text", '{"count":"50.5"}', "count must be integer"],
    ["a number out of range", '{"count":0}', "count must be"],
    ["a number beyond what is exact", '{"count":9007199254740993}', "count must be integer"],
    ["an empty text for a number", '{"count":""}', "count must be integer"],
    ["a switch for a number", '{"count":true}', "count must be integer"],
    ["a number with a unit", '{"count":"50 s3cr3t"}', "count must be integer"],
    ["hexadecimal", '{"count":"0x10"}', "count must be integer"],
    ["a number for a switch", '{"flag":1}', "flag must be boolean"],
    ["another word for a switch", '{"flag":"yes"}', "flag must be boolean"],
    ["an upper-case switch", '{"flag":"TRUE"}', "flag must be boolean"],
    ["a small number for a text", '{"text":5}', "text must be string"],
    ["an object for a text", '{"text":{"s3cr3t":1}}', "text must be string"],
    ["one text for a list", '{"names":"s3cr3t"}', "names must be array"],
    ["a broken list as text", '{"names":"[s3cr3t"}', "names must be array"],
    ["a number in a list", '{"names":[5]}', "names.0 must be string"],
    ["an unknown parameter", '{"txt":"s3cr3t"}', 'Did you mean "text"?'],
    ["one in another case", '{"Text":"s3cr3t"}', 'Did you mean "text"?'],
    ["one that is like none", '{"something_else":"s3cr3t"}', "The tool takes: text, count, flag, names."],
    ["a method's name", '{"toString":"s3cr3t"}', "There is no parameter"],
  ])("%s is bad input, answered with 200", async (_what, input, text) => {
    const answer = await echoRaw(input);
    expect({ status: answer.status, success: at(answer.body, "success") }).toEqual({
      status: 200,
      success: false,
    });
    expect(at(answer.body, "output.error")).toMatchObject({
      kind: "TOOL_RUNTIME_BAD_INPUT_VALUE",
      can_retry: false,
      status_code: 400,
    });
    expect(at(answer.body, "output.error.message")).toContain(text);
    expect(answer.text).not.toContain("s3cr3t");
  });

  test("that was refused is in no log line", () => {
    const log = own.logLines.join("\n");
    expect(log).toContain('"path":"/v1/tools/execute"');
    expect(log).not.toContain("s3cr3t");
  });
});

describe("a tool that breaks", () => {
  const fail = (more: object = {}) => execute({ tool_name: "TestKit.Fail", user_id: "alice", ...more });

  test("is an answer with 200, without its insides", async () => {
    const answer = await fail();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: false, status: "failed", execution_type: "immediate" });
    expect(at(answer.body, "output.error.kind")).toBe("TOOL_RUNTIME_FATAL");
    expect(at(answer.body, "output.error.can_retry")).toBe(false);
    expect(answer.text).not.toContain("s3cr3t");
    expect(answer.text).not.toContain("stacktrace");
  });

  test("shows a stack only when asked, and even then not what broke", async () => {
    const answer = await fail({ include_error_stacktrace: true });
    expect(typeof at(answer.body, "output.error.stacktrace")).toBe("string");
    expect(answer.text).not.toContain("s3cr3t");
  });
});

describe("a secret that a tool needs", () => {
  const tell = () => execute({ tool_name: "TestKit.Tell_Secret", user_id: "alice" });

  // Deleting a secret in use; the value arrives as it was sent.
  test("must be there, is handed over exactly, and its loss is named [fault: secret-line-end] [fault: orphans]", async () => {
    const admin = api(own.url, await own.key("admin"));
    const missing = await tell();
    expect({ status: missing.status, name: at(missing.body, "name") }).toEqual({
      status: 400,
      name: "tool_requirements_not_met",
    });
    expect(at(missing.body, "message")).toBe(
      "secret not found: TEST_SECRET. An administrator sets it: runtime secrets set TEST_SECRET",
    );
    await admin.post("/v1/admin/secrets/test_secret", { value: "a\nb\n" });
    expect(at((await tell()).body, "output.value")).toEqual({ TEST_SECRET: "a\nb\n" });
    expect((await admin.delete("/v1/admin/secrets/TEST_SECRET")).status).toBe(204);
    expect(at((await tell()).body, "message")).toBe(
      "secret not found: TEST_SECRET. An administrator sets it: runtime secrets set TEST_SECRET",
    );
  });
});

describe("Idempotency-Key", () => {
  const send = (idempotencyKey: string, input: object) =>
    call(own.url, {
      method: "POST",
      path: PATH,
      key,
      body: { tool_name: "TestKit.Echo", user_id: "alice", input },
      headers: { "idempotency-key": idempotencyKey },
    });

  test("gives a repeat the very answer of the first", async () => {
    const [first, second] = [await send("one", { text: "x" }), await send("one", { text: "x" })];
    expect(second.text).toBe(first.text);
  });

  test("with another request is 400", async () => {
    await send("two", { text: "x" });
    const answer = await send("two", { text: "y" });
    expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
      status: 400,
      name: "idempotency_mismatch",
    });
  });

  test.each(["", "s3cr3t with spaces", "x".repeat(256)])("%p is 400", async (value) => {
    const answer = await send(value, {});
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain("s3cr3t");
  });
});
