// A JSON-RPC batch that carries calls past the rules: batches are refused whole, whatever is in them, and so is what only
// looks like one message.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type McpSite, post, request, startMcpSite } from "../mcp/site";
import { printFigure } from "./figure";

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite();
  await site.deployment.addProvider();
  await site.deployment.give("alice");
  url = await site.gateway("narrow", { tool_filter: { allowed_tools: ["Test.Look"] } });
  key = await site.key("run", ["alice"]);
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  site.deployment.test.runs = 0;
});

const look = (id: number) => request("tools/call", { name: "Test_Look", arguments: {} }, id);
const act = (id: number) => request("tools/call", { name: "Test_Act", arguments: {} }, id);

const BATCHES: readonly (readonly [string, unknown])[] = [
  ["one allowed call", [look(1)]],
  ["an allowed and a hidden call", [look(1), act(2)]],
  ["a hundred calls", Array.from({ length: 100 }, (_, id) => look(id))],
  ["initialize and a call", [request("initialize", { protocolVersion: "2025-03-26" }), look(2)]],
  ["a notification and a call", [{ jsonrpc: "2.0", method: "notifications/initialized" }, act(2)]],
  ["nothing", []],
  ["a batch", [[act(1)]]],
  ["a call in an object with numbers as keys", { 0: act(1), length: 1, jsonrpc: "2.0" }],
  ["a call as params of a message", { jsonrpc: "2.0", id: 1, method: "tools/call", params: [act(2)] }],
];

let refused = 0;
afterAll(() => printFigure("a JSON-RPC batch past the rules", `${refused} batches: 0 calls run`));

test.each(BATCHES)("a batch with %s is refused, and nothing runs", async (_what, batch) => {
  for (const version of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
    const headers = { "mcp-protocol-version": version };
    const answer = await post(url, batch, { key, user: "alice", headers });

    expect([version, answer.status]).toEqual([version, 400]);
    expect(site.deployment.test.runs).toBe(0);
    refused += 1;
  }
});

test("the same call alone runs, and a hidden one does not", async () => {
  expect((await post(url, look(1), { key, user: "alice" })).status).toBe(200);
  expect(site.deployment.test.runs).toBe(1);
  await post(url, act(1), { key, user: "alice" });

  expect(site.deployment.test.runs).toBe(1);
});

test("duplicate members do not smuggle another call: the last one counts everywhere", async () => {
  const body =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Test_Look","arguments":{}},' +
    '"params":{"name":"Test_Act","arguments":{}}}';
  await post(url, body, { key, user: "alice" });

  expect(site.deployment.test.runs).toBe(0);
});
