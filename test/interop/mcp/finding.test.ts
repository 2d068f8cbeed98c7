// The official clients at a gateway at which they search for tools.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type McpSite, startMcpSite } from "../../mcp/site";
import { officialClients } from "./clients";

let site: McpSite;
let key: string;
let url: string;
beforeAll(async () => {
  site = await startMcpSite();
  key = await site.key();
  url = await site.gateway("finding", {
    tool_filter: { discovery: { enabled: true, pinned_asset_keys: ["Test.Act"] } },
  });
});
afterAll(() => site[Symbol.asyncDispose]());

describe.each(officialClients.map((one) => [one.name, one] as const))(
  "the client %s",
  (_name, { connect }) => {
    test("lists three tools and the pinned one, finds another, and calls it", async () => {
      const headers = { authorization: `Bearer ${key}`, "x-user-id": "alice" };
      await using session = await connect(url, { headers });
      const listed = await session.tools();
      const found = await session.call("search_tools", { query: "answer what I say" });
      const described = await session.call("describe_tool", { name: "Test_Echo" });
      const called = await session.call("call_tool", { name: "Test_Echo", arguments: { text: "hi" } });
      const refused = await session.call("call_tool", { name: "Test_Echo", arguments: { text: 1 } });

      expect(listed.map(({ name }) => name)).toEqual([
        "search_tools",
        "describe_tool",
        "call_tool",
        "Test_Act",
      ]);
      expect(found.structured).toHaveProperty("tools.0.name", "Test_Echo");
      expect(described.structured).toMatchObject({ name: "Test_Echo", inputSchema: { type: "object" } });
      expect(called).toMatchObject({ isError: false, structured: { text: "hi" } });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("text must be") });
    });
  },
);
