// All protocol revisions at one address: sessions until 2025-11-25, self-contained requests since 2026-07-28.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { client, type McpSite, valueAt, startMcpSite } from "./site";

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite();
  url = await site.gateway("families", { instructions: "Be kind." });
  key = await site.key();
});
afterAll(() => site[Symbol.asyncDispose]());

const alice = () => client(url, { key, user: "alice" });
const ECHO = { name: "Test_Echo", arguments: { text: "hi" } };

describe("revisions until 2025-11-25", () => {
  test("starts a session, lists and calls", async () => {
    const { answer, session } = await alice().initialize();
    expect(valueAt(answer, "result")).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "families", title: "Gateway families", version },
      instructions: "Be kind.",
    });
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };

    expect(valueAt(await alice().legacy("ping", {}, headers), "result")).toEqual({});
    expect(valueAt(await alice().legacy("tools/list", {}, headers), "result.tools.0.name")).toBe("Test_Act");
    expect(valueAt(await alice().legacy("tools/call", ECHO, headers), "result")).toEqual({
      content: [{ type: "text", text: '{"text":"hi"}' }],
      structuredContent: { text: "hi" },
    });
  });

  test("answers an unknown method with an error and 200", async () => {
    const answer = await alice().legacy("resources/list");
    expect([answer.status, valueAt(answer, "error.code")]).toEqual([200, -32601]);
  });
});

describe("revision 2026-07-28", () => {
  test("discovers, lists and calls without a session", async () => {
    const discovered = await alice().modern("server/discover");
    expect(valueAt(discovered, "result")).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      capabilities: { tools: { listChanged: true } },
      instructions: "Be kind.",
      cacheScope: "private",
    });
    expect(discovered.headers.get("mcp-session-id")).toBeNull();
    expect(valueAt(await alice().modern("tools/list"), "result.ttlMs")).toBe(1000);
    expect(valueAt(await alice().modern("tools/call", ECHO), "result")).toMatchObject({
      resultType: "complete",
      structuredContent: { text: "hi" },
    });
  });

  test.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "made/up"])(
    "answers %s with 404",
    async (method) => {
      const answer = await alice().modern(method);
      expect([answer.status, valueAt(answer, "error.code")]).toEqual([404, -32601]);
    },
  );
});
