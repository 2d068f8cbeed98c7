// The maintainers' inspector with a real gateway: its one-shot command line, and the one with persistent connections.
import { afterAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../../support/browser";
import { at } from "../../support/api";
import { startOpenIdSite } from "../oidc/site";
import { signInAs } from "../oidc/sign-in";
import { conformanceCatalogs } from "./fixtures";
import { credentials, gatewaySiteOf, startGatewaySite } from "./gateway";
import { peer, testWithPeers } from "./peers";
import { placements } from "./placements";

const ERAS = ["legacy", "modern"] as const;
const COMMAND_MS = 30_000;
const TEST_MS = 60_000;
const homes: string[] = [];

afterAll(() => homes.forEach((home) => rmSync(home, { recursive: true, force: true })));

/** Runs one of the inspector's programs in its own home folder; returns its standard output as JSON. */
function inspector(...program: string[]) {
  const home = mkdtempSync(join(tmpdir(), "mcp-inspector-"));
  homes.push(home);
  const script = peer("@modelcontextprotocol", "inspector", "clients", ...program);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    MCP_INSPECTOR_SECRET_STORE: "file",
    MCP_OAUTH_CALLBACK_URL: `http://127.0.0.1:${freePort()}/oauth/callback`,
  };
  return async (...args: string[]): Promise<unknown> => {
    const command = [process.execPath, script, ...args, "--format", "json"];
    const options = { env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: COMMAND_MS } as const;
    const child = Bun.spawn(command, options);
    const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if (printed.trim() === "") throw new Error(`${args.join(" ")}: ${complaints}`);
    return JSON.parse(printed);
  };
}

function freePort(): number {
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  return listener.port;
}

describe.each(placements.map((placement) => [placement.name, placement] as const))(
  "the inspector signs in: %s",
  (_name, { start }) => {
    testWithPeers().each(ERAS)(
      "%s family",
      async (era) => {
        await using placed = await start();
        const run = inspector("mcpdo", "build", "mcp-bin.js");
        try {
          const pending = await run("connect", placed.address, "--transport", "http", "--era", era);
          const issuer = placed.openId.provider.address;
          const back = await signInAs(issuer, String(at(pending, "authUrl")), "alice");
          expect((await fetch(back)).status).toBe(200);
          const refused = await run("tools/call", "Chat_WhoAmI", "--connection", String(at(pending, "name")));
          expect(at(refused, "elicitationPending.mode")).toBe("url");
        } finally {
          await run("daemon", "stop");
        }
      },
      TEST_MS,
    );
  },
);

describe.each(ERAS)("the inspector, %s family", (era) => {
  testWithPeers()(
    "lists and calls in one command, and shows the request for consent",
    async () => {
      await using made = await startGatewaySite({ moreCatalogs: conformanceCatalogs });
      await made.site.addChatProvider();
      const tools = ["Chat.WhoAmI", "test.simple_text"];
      const address = await made.gateway("team", { tool_filter: { allowed_tools: tools } });
      const headers = Object.entries(credentials(made.key)).map(([name, value]) => `${name}: ${value}`);
      const run = inspector("launcher", "build", "index.js");
      const ask = (...args: string[]) =>
        run(
          "--cli",
          address,
          "--transport",
          "http",
          "--protocol-era",
          era,
          ...headers.flatMap((header) => ["--header", header]),
          ...args,
        );
      const call = (tool: string) => ask("--method", "tools/call", "--tool-name", tool);

      const listed = at(await ask("--method", "tools/list"), "result.tools");
      expect(listed).toMatchObject([{ name: "Chat_WhoAmI" }, { name: "test_simple_text" }]);
      expect(at(await call("test_simple_text"), "result.content.0.text")).toContain("simple text response");

      const answer = await call("Chat_WhoAmI");
      expect(at(answer, "result.isError")).toBe(true);
      const { authorization_url: url } = JSON.parse(String(at(answer, "result.content.0.text")));
      await new Browser().consent(url, "alice");
      expect(at(await call("Chat_WhoAmI"), "result.structuredContent.username")).toBe("alice");
    },
    TEST_MS,
  );

  testWithPeers()(
    "signs in by itself, asks its user for consent, and continues",
    async () => {
      await using openId = await startOpenIdSite({
        registration: true,
        resourceScope: "mcp",
        scopes: ["mcp"],
      });
      const { gateway } = await gatewaySiteOf(openId.site);
      const address = await gateway("team", { auth_type: "arcade" });
      const run = inspector("mcpdo", "build", "mcp-bin.js");
      try {
        const pending = await run("connect", address, "--transport", "http", "--era", era);
        expect(at(pending, "pendingAuth")).toBe(true);
        const back = await signInAs(openId.provider.url, String(at(pending, "authUrl")), "alice");
        expect((await fetch(back)).status).toBe(200);

        const to = ["--connection", String(at(pending, "name"))];
        const refused = await run("tools/call", "Chat_WhoAmI", ...to);
        expect(at(refused, "elicitationPending.mode")).toBe("url");
        await new Browser().consent(String(at(refused, "elicitationPending.url")), "alice");
        const id = String(at(refused, "elicitationPending.elicitationId"));
        const answer = await run("elicitation/respond", id, "--done", ...to);
        expect(at(answer, "structuredContent.username")).toBe("alice");
      } finally {
        await run("daemon", "stop");
      }
    },
    TEST_MS,
  );
});
