// MCP servers behind a whole deployment: what the API shows of their tools, and whose session a call uses.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { events, result, TEXT, Upstream } from "../../support/mcp-upstream";
import { type Site, startSite } from "../../support/site";

const TOOLS = [
  { name: "who", description: "Says whose session it is.", inputSchema: { type: "object" } },
  { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];

let site: Site;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
});
afterAll(() => site[Symbol.asyncDispose]());

function upstream(): Upstream {
  return new Upstream({
    methods: {
      "tools/list": () => ({ tools: TOOLS }),
      "tools/call": ({ session = "none" }) => TEXT(session),
    },
  });
}

const create = (id: string, uri: string, more: object = {}) =>
  admin.post("/v1/workers", { id, mcp: { uri, timeout: 10, retry: 0 }, ...more });
const run = async (tool: string, user_id: string): Promise<unknown> =>
  at((await agent.post("/v1/tools/execute", { tool_name: tool, user_id, input: {} })).body, "output.value");

describe("a server with sessions", () => {
  test("has one for each user, over all calls", async () => {
    await using server = upstream();
    await create("notes", server.url);

    const seen = [];
    for (const user of ["alice", "bob", "alice", "bob"]) seen.push(await run("Notes.who", user));

    expect(new Set(seen).size).toBe(2);
    expect([seen[0], seen[1]]).toEqual([seen[2], seen[3]]);
    expect(seen).not.toContain("none");
  });

  test("has one for each worker of one address", async () => {
    await using server = upstream();
    await create("first", server.url);
    await create("second", server.url);

    expect(await run("First.who", "alice")).not.toBe(await run("Second.who", "alice"));
  });

  test("begins again for a user after a restart of the server", async () => {
    await using server = upstream();
    await create("restarted", server.url);
    const before = await run("Restarted.who", "alice");
    server.sessions.clear();

    expect(await run("Restarted.who", "alice")).not.toBe(before);
  });
});

describe("what a server says about the effects of its tools", () => {
  const behaviorOf = async (tool: string): Promise<unknown> =>
    at((await agent.get(`/v1/tools/${tool}`)).body, "metadata.behavior");

  test("counts only where the record trusts it", async () => {
    await using server = upstream();
    await create("doubted", server.url);
    await create("trusted", server.url, { trust_annotations: true });

    expect(await behaviorOf("Doubted.look")).toMatchObject({ read_only: false, destructive: true });
    expect(await behaviorOf("Trusted.look")).toMatchObject({ read_only: true, destructive: false });
    expect(await behaviorOf("Trusted.who")).toMatchObject({ read_only: false, destructive: true });
  });

  test("counts as soon as the record changes", async () => {
    await using server = upstream();
    await create("changing", server.url);
    await admin.patch("/v1/workers/changing", { trust_annotations: true });

    expect(await behaviorOf("Changing.look")).toMatchObject({ read_only: true });
  });
});

describe.each([["legacy"], ["modern"]] as const)(
  "a question of a server with sessions, for a client of the %s family",
  (family) => {
    test("reaches the user, and the answer the server, within one call", async () => {
      await using server = new Upstream({
        methods: {
          "tools/list": () => ({ tools: TOOLS }),
          "tools/call": ({ id, upstream: { replies } }) => {
            async function* stream(): AsyncGenerator<object> {
              const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
              yield { jsonrpc: "2.0", id: "question", method: "elicitation/create", params };
              while (replies.length === 0) await Bun.sleep(1);
              yield result(id, TEXT(JSON.stringify(replies[0]?.["result"])));
            }
            return events(stream());
          },
        },
      });
      await create(`asks-${family}`, server.url);
      const gateway = { name: family, slug: family, auth_type: "arcade_header" };
      await admin.post("/v1/orgs/default/projects/default/gateways", gateway);
      const mode = family === "modern" ? { pin: "2026-07-28" } : family;
      const client = new Client(
        { name: "asked", version: "1" },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
      );
      const questions: string[] = [];
      client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
        questions.push(message);
        return { action: "accept", content: {} };
      });
      const headers = { authorization: `Bearer ${await site.key("run")}`, "x-user-id": "alice" };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${site.url}/mcp/${family}`), { requestInit: { headers } }),
      );

      const { content } = await client.callTool({
        name: `Asks${family[0]?.toUpperCase()}${family.slice(1)}_who`,
      });
      await client.close();

      expect([content, questions]).toEqual([
        [{ type: "text", text: '{"action":"accept","content":{}}' }],
        ["Sure?"],
      ]);
      expect(server.calls("tools/call")).toHaveLength(1);
    });
  },
);
