// Results above the size limit are cut and marked as cut, and still match their schema.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { cutTo } from "../../src/mcp/result";
import { type Catalog, defineTool } from "../../src/tools";
import { client, type McpSite, valueAt, startMcpSite } from "./site";

const MAX = 20_000;
const Rows = Type.Object({
  title: Type.String(),
  rows: Type.Array(Type.Object({ id: Type.Integer(), text: Type.String() })),
});
let value: unknown;
const reading = {
  operations: ["read" as const],
  read_only: true,
  destructive: false,
  idempotent: true,
  open_world: true,
};
const catalog: Catalog = {
  toolkit: { name: "Large", description: "Tools with large results.", version: "1.0.0" },
  bases: {},
  tools: (
    [
      ["Rows", Rows],
      ["Any", Type.Unknown()],
      ["Exact", Type.Object({ text: Type.String({ pattern: "end$" }) })],
    ] as const
  ).map(([name, output]) =>
    defineTool({
      name,
      description: "Answers what the test says.",
      input: Type.Object({}),
      output,
      metadata: { behavior: reading },
      run: async () => value as never,
    }),
  ),
};

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite({
    catalogs: [catalog],
    environment: { RUNTIME_MCP_MAX_RESULT_BYTES: String(MAX) },
  });
  url = await site.gateway("large");
  key = await site.key();
});
afterAll(() => site[Symbol.asyncDispose]());

const call = (name: string) => client(url, { key, user: "alice" }).legacy("tools/call", { name });
const rows = (count: number, text: string) => ({
  title: "Rows",
  rows: Array.from({ length: count }, (_, id) => ({ id, text })),
});

describe("a result above the limit", () => {
  test("is cut, still matches its schema, and is marked for model and program [fault: large-result]", async () => {
    value = rows(5000, "some text");
    const answer = await call("Large_Rows");
    const text = String(valueAt(answer, "result.content.0.text"));
    expect(Buffer.byteLength(text)).toBeWithin(MAX / 3, MAX + 1);
    const cut: unknown = JSON.parse(text);
    expect(valueAt(answer, "result.structuredContent")).toEqual(cut);
    expect(valueAt(answer, "result.content.1.text")).toContain(`larger than ${MAX} bytes`);
    expect(valueAt(answer, "result._meta")).toEqual({ truncated: true, max_bytes: MAX });
    expect(valueAt(answer, "result.isError")).toBeUndefined();
    const { rows: kept } = cut as ReturnType<typeof rows>;
    expect(kept).toEqual(rows(kept.length, "some text").rows);
  });

  test("keeps whole characters at the cut [fault: large-result]", async () => {
    for (const text of ["🔑".repeat(20_000), `x${"🔑".repeat(20_000)}`, "ключ".repeat(20_000)]) {
      value = { text };
      const cut = String(valueAt(await call("Large_Any"), "result.structuredContent.text"));
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\uFFFD");
      expect(text.startsWith(cut)).toBe(true);
    }
  });

  test("of 30 MB is cut too [fault: large-result]", async () => {
    value = rows(100_000, "x".repeat(300));
    const answer = await call("Large_Rows");
    expect(answer.text.length).toBeLessThan(5 * MAX);
    expect(valueAt(answer, "result.structuredContent.rows.0.id")).toBe(0);
  });

  test("that would no longer match its schema is an error, and so is one that cannot be cut", async () => {
    value = { text: `${"x".repeat(50_000)} end` };
    expect(valueAt(await call("Large_Exact"), "result.isError")).toBe(true);
    value = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field-${index}`, index]));
    const answer = await call("Large_Any");
    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(valueAt(answer, "result.content.0.text")).toContain("cannot be cut");
    expect(valueAt(answer, "result.structuredContent")).toBeUndefined();
  });

  test("is complete in the API, which has no limit [fault: large-result]", async () => {
    value = rows(5000, "some text");
    const execution = await site.deployment.runtime.tools.execute(
      { kind: "key", keyId: "key_x", projectId: "default", role: "run", users: null },
      { tool_name: "Large.Rows", user_id: "alice" },
    );
    expect(execution.output?.value).toEqual(value);
  });
});

test("a result at the limit is complete", async () => {
  value = { text: "x".repeat(MAX - '{"text":""}'.length) };
  const answer = await call("Large_Any");
  expect(valueAt(answer, "result.structuredContent")).toEqual(value);
  expect(valueAt(answer, "result._meta")).toBeUndefined();
});

test("cutting does not change values that fit, nor numbers, booleans and null", () => {
  const small = { a: [1, null, true, { b: "x" }] };
  expect(cutTo(small, 1000)).toEqual(small);
});

test("a result of very many keys, which are never cut, is given up at once", () => {
  const wide = (keys: number): unknown => ({
    list: [Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key ${index}`, index]))],
  });
  const times = (keys: number): number => {
    let count = 0;
    const counting = new Proxy(wide(keys) as object, {
      get: (target, name) => (count++, Reflect.get(target, name)),
    });
    expect(cutTo(counting, MAX)).toBeUndefined();
    return count;
  };

  // One look, whatever the number of limits that could be tried.
  expect([times(5_000), times(50_000)]).toEqual([1, 1]);
});
