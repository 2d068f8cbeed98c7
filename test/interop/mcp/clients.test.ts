// Official clients with a real gateway: lists, calls, consent, and tokens that they get by themselves.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Browser } from "../../support/browser";
import { startOpenIdSite } from "../oidc/site";
import { tokensOf } from "../oidc/sign-in";
import { officialClients } from "./clients";
import { conformanceCatalogs, slowCatalog } from "./fixtures";
import { credentials, gatewaySiteOf, startGatewaySite } from "./gateway";
import { OAuthProvider } from "./oauth";

const MAIN = join(import.meta.dir, "..", "..", "..", "cli", "main.ts");
const CONSENT = { elicitation: "by address", text: "by text" } as const;

async function startChatGateway() {
  const made = await startGatewaySite({ moreCatalogs: conformanceCatalogs });
  await made.site.addChatProvider();
  const address = await made.gateway("team", {
    instructions: "Be brief.",
    tool_filter: { allowed_tools: ["Chat.WhoAmI", "Chat.ListUsers", "test.simple_text"] },
  });
  return { ...made, address, headers: credentials(made.key) };
}

describe.each(officialClients.map((client) => [client.name, client] as const))(
  "client %s",
  (_name, client) => {
    test("negotiates its newest version, lists the gateway's tools, and calls one", async () => {
      await using made = await startChatGateway();
      await using session = await client.connect(made.address, { headers: made.headers });

      expect([session.version, session.instructions]).toEqual([client.version, "Be brief."]);
      const tools = await session.tools();
      expect(tools.map(({ name }) => name)).toEqual(["Chat_ListUsers", "Chat_WhoAmI", "test_simple_text"]);
      expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: true });
      expect(await session.call("test_simple_text")).toMatchObject({
        isError: false,
        text: expect.stringContaining("This is a simple text response for testing."),
      });
    });

    test(`calls a tool that needs consent first, ${CONSENT.elicitation}`, async () => {
      await using made = await startChatGateway();
      const visited: string[] = [];
      const visit = async (url: string): Promise<void> => {
        visited.push(url);
        await new Browser().consent(url, "alice");
      };
      await using session = await client.connect(made.address, { headers: made.headers, visit });

      const outcome = await session.call("Chat_WhoAmI");

      expect(outcome).toMatchObject({ isError: false, structured: { username: "alice" } });
      expect(visited.map((url) => url.startsWith(`${made.site.url}/authorize/`))).toEqual([true]);
      expect((await session.call("Chat_WhoAmI")).isError).toBe(false);
      expect(visited).toHaveLength(1);
    });

    test(`calls a tool that needs consent first, ${CONSENT.text}`, async () => {
      await using made = await startChatGateway();
      await using session = await client.connect(made.address, { headers: made.headers });

      const refused = await session.call("Chat_WhoAmI");

      expect(refused.isError).toBe(true);
      const { authorization_url: url } = JSON.parse(refused.text);
      expect(url).toStartWith(`${made.site.url}/authorize/`);
      await new Browser().consent(url, "alice");
      expect(await session.call("Chat_WhoAmI")).toMatchObject({
        isError: false,
        structured: { username: "alice" },
      });
    });

    test("stops a tool by cancelling its call, and continues", async () => {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<string>();
      await using made = await startGatewaySite({
        moreCatalogs: [...conformanceCatalogs, slowCatalog(begun.resolve, ended.resolve)],
      });
      const address = await made.gateway("team");
      await using session = await client.connect(address, { headers: credentials(made.key) });
      const giveUp = new AbortController();

      const call = session.call("slow_wait", {}, giveUp.signal).then(
        () => "answered",
        () => "given up",
      );
      await begun.promise;
      giveUp.abort();

      expect(await call).toBe("given up");
      expect(await ended.promise).toBe("stopped");
      expect((await session.call("test_simple_text")).isError).toBe(false);
    });

    test("starts the same gateway as a program, and calls a tool that needs consent first", async () => {
      await using made = await startChatGateway();
      const { url, environment } = made.site;
      const program = {
        command: process.execPath,
        args: [MAIN, "mcp", "--gateway", "team", "--user", "alice"],
        // Consents come back to the server, which has a port of its own.
        env: { PATH: process.env["PATH"] ?? "", ...environment, RUNTIME_PORT: new URL(url).port },
      };
      const visit = async (url: string): Promise<void> => {
        await new Browser().consent(url, "alice");
      };
      await using session = await client.connect(program, { visit });

      const names = (await session.tools()).map(({ name }) => name);
      expect(names).toEqual(["Chat_ListUsers", "Chat_WhoAmI"]);
      expect(await session.call("Chat_WhoAmI")).toMatchObject({
        isError: false,
        structured: { username: "alice" },
      });
    });

    test("gets from a 401 to a call with its own OAuth", async () => {
      await using openId = await startOpenIdSite({
        registration: true,
        resourceScope: "mcp",
        scopes: ["mcp"],
      });
      const made = await gatewaySiteOf(openId.site);
      const address = await made.gateway("team", { auth_type: "arcade" });
      const provider = new OAuthProvider(openId.provider.url, "alice");
      const visit = async (url: string): Promise<void> => {
        await new Browser().consent(url, "alice");
      };

      const bare = await fetch(address, { method: "POST", body: "{}" });
      expect(bare.status).toBe(401);
      await using session = await client.connect(address, { provider, visit });
      const outcome = await session.call("Chat_WhoAmI");

      expect(outcome).toMatchObject({ isError: false, structured: { username: "alice" } });
      expect(provider.visited[0]?.searchParams.get("resource")).toBe(address);
      expect(openId.provider.requests.filter((path) => path === "/reg")).toHaveLength(1);
    });
  },
);

test("a token of another gateway is 401", async () => {
  await using openId = await startOpenIdSite({ resourceScope: "mcp" });
  const made = await gatewaySiteOf(openId.site);
  const one = await made.gateway("one", { auth_type: "arcade" });
  const other = await made.gateway("other", { auth_type: "arcade" });
  const statusAt = async (address: string, audience: string): Promise<number> => {
    const { access_token } = await tokensOf(openId.provider, "alice", audience);
    const response = await fetch(address, {
      method: "POST",
      headers: {
        authorization: `Bearer ${access_token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    return response.status;
  };

  expect(await statusAt(one, one)).toBe(200);
  expect(await statusAt(other, one)).toBe(401);
});
