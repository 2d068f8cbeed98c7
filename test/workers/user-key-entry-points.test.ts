// Users' own keys by every entry point: what a user without a key is told, and whose key a call has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { addKeyProvider, giveKey } from "../authorization/key-page";
import { originOf } from "../../src/origins";
import { EntryPoints } from "../hooks/entry-points";
import { api, at } from "../support/api";
import { keyedHttp, keyedMcp, markOf } from "./keyed";
import { httpWorker, mcpWorker } from "./site";

const ALICE = "alice-key-CANARY-a1b2c3";
const BOB = "bob-key-CANARY-d4e5f6";

const entries = new EntryPoints();
const mcp = keyedMcp();
const http = keyedHttp("tracker");
beforeAll(async () => {
  await entries.start();
  const { chat, operator } = entries.parts;
  const addresses = [mcp.uri, http.uri].map((uri) => originOf(uri) ?? "");
  await addKeyProvider(chat.site, { location: "header", addresses });
  const { workers } = chat.site.runtime;
  await workers.create(operator, mcpWorker("peer", mcp.uri, { headers: { "X-Key": "${user.tracker}" } }));
  await workers.create(operator, httpWorker("web", http.uri));
  entries.parts.peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  await giveKey(chat.site, "bob", BOB);
});
afterAll(async () => {
  await entries[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
  await http[Symbol.asyncDispose]();
});

const TOOLS = [
  ["an MCP worker", "Peer.who"],
  ["an HTTP worker", "Keyed.Who"],
] as const;
const WAYS = Object.keys(entries.ways);
const rows = WAYS.flatMap((way) => TOOLS.map(([kind, tool]) => [kind, way, tool] as const));

async function endConnections(): Promise<void> {
  const { chat, operator } = entries.parts;
  const { items } = await chat.site.runtime.connections.list(operator, { user_id: "alice" });
  for (const { id } of items) await chat.site.runtime.connections.delete(operator, id);
}

/** Everything that the caller receives, also of a refusal that is thrown. */
async function run(way: string, tool: string): Promise<string> {
  try {
    return (await entries.ways[way]?.run(tool, {})) ?? "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("without a key", () => {
  beforeEach(endConnections);
  test.each(rows)("the tool of %s by %s asks for it, and is not called", async (_kind, way, tool) => {
    const before = mcp.calls.length + http.calls.length;
    const told = await run(way, tool);

    expect(told).toMatch(/own key|\/authorize\//);
    expect(told).not.toContain("CANARY");
    expect(mcp.calls.length + http.calls.length).toBe(before);
  });

  test("clients of gateways get the address of the page in a text", async () => {
    const { url } = entries.parts.chat.site;
    const page = new RegExp(`${url}/authorize/[A-Za-z0-9_-]{43}`);
    for (const way of ["MCP with sessions", "MCP without sessions", "the chat loop"])
      expect(await run(way, "Peer.who")).toMatch(page);
  });
});

describe("with a key", () => {
  beforeAll(async () => {
    await endConnections();
    await giveKey(entries.parts.chat.site, "alice", ALICE);
  });

  test.each(rows)("the tool of %s by %s is called with it", async (_kind, way, tool) => {
    const calls = tool === "Peer.who" ? mcp.calls : http.calls;
    const before = calls.length;
    const told = await run(way, tool);

    expect(calls.slice(before).map(({ keys }) => keys)).toEqual([[ALICE]]);
    if (way !== "the chat loop" && way !== "responses") expect(told).toContain(markOf(ALICE));
    expect(told).not.toContain("CANARY");
  });

  test.each(TOOLS)(
    "hooks learn which provider the key of %s is for, and nothing of the key",
    async (_kind, tool) => {
      entries.parts.peer.asked.length = 0;
      await run("REST", tool);
      const pre = entries.parts.peer.asked.filter(({ path }) => path === "pre");

      expect(pre.map(({ body }) => at(body, "context.authorization"))).toEqual([
        [expect.objectContaining({ provider_id: "tracker" })],
      ]);
      expect(JSON.stringify(entries.parts.peer.asked)).not.toContain("CANARY");
    },
  );

  test("that looks like a token shows hooks nothing of itself", async () => {
    const jwt = ["{}", '{"sub":"CLAIM-CANARY"}', "x"].map((part) => Buffer.from(part).toString("base64url"));
    await endConnections();
    await giveKey(entries.parts.chat.site, "alice", jwt.join("."));
    entries.parts.peer.asked.length = 0;
    await run("REST", "Keyed.Who");
    await endConnections();
    await giveKey(entries.parts.chat.site, "alice", ALICE);

    expect(JSON.stringify(entries.parts.peer.asked)).not.toContain("CLAIM-CANARY");
  });

  test("no command, log line or answer has it", async () => {
    const { chat } = entries.parts;
    const admin = api(chat.site.url, await chat.site.key("admin"));
    const executions = (await admin.get("/v1/admin/executions?limit=100")).text;

    for (const text of [chat.site.logLines.join("\n"), entries.terminalLog.join("\n"), executions])
      expect(text).not.toContain("CANARY");
  });
});
