// The official clients hear of changed lists of tools: at a gateway, from a program on the data folder, and through the relay.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { webhookPeer, type WebhookPeer } from "../../hooks/webhook-peer";
import { officialClients, type Program } from "./clients";
import { conformanceCatalogs } from "./fixtures";
import { credentials, type GatewaySite, startGatewaySite } from "./gateway";

const MAIN = join(import.meta.dir, "..", "..", "..", "cli", "main.ts");
const CHAT = ["Chat.ListUsers"];
const MORE = [...CHAT, "Chat.WhoAmI"];

let made: GatewaySite;
let peer: WebhookPeer;
/** The tools that the access hook lets a user see; others see all. */
const seen = new Map<string, string[]>();
beforeAll(async () => {
  made = await startGatewaySite({ moreCatalogs: conformanceCatalogs });
  peer = await webhookPeer();
  peer.respond = ({ body }) => {
    const names = seen.get(String(body["user_id"]));
    if (names === undefined) return {};
    return { only: { Chat: { tools: Object.fromEntries(names.map((name) => [name, [{}]])) } } };
  };
});
afterAll(async () => {
  peer[Symbol.dispose]();
  await made[Symbol.asyncDispose]();
});

const operator = () => made.site.runtime.identity.operator("default");

async function startGateway(): Promise<{
  slug: string;
  address: string;
  allow(tools: string[]): Promise<void>;
}> {
  const slug = `g${crypto.randomUUID().slice(0, 8)}`;
  const address = await made.gateway(slug, { tool_filter: { allowed_tools: CHAT } });
  const { gateways } = made.site.runtime;
  const { items } = await gateways.list(await operator(), { limit: 100, offset: 0 });
  const { id = "" } = items.find((each) => each.slug === slug) ?? {};
  return {
    slug,
    address,
    allow: async (allowed_tools) =>
      void (await gateways.patch(await operator(), id, { tool_filter: { allowed_tools } })),
  };
}

/** Where a client finds the gateway. */
const PLACES: readonly (readonly [string, (slug: string, address: string) => string | Program])[] = [
  ["at its address", (_slug, address) => address],
  ["as a program on the data folder", (slug) => program(slug, {}, [])],
  [
    "as a program through the server",
    (slug) => program(slug, { RUNTIME_API_KEY: made.key }, ["--server", made.site.url]),
  ],
];

function program(slug: string, env: Record<string, string>, args: string[]): Program {
  return {
    command: process.execPath,
    args: [MAIN, "mcp", "--gateway", slug, "--user", "alice", ...args],
    env: { PATH: process.env["PATH"] ?? "", ...made.site.environment, RUNTIME_PORT: "1", ...env },
  };
}

describe.each(officialClients.map((client) => [client.name, client] as const))(
  "client %s",
  (_name, client) => {
    test.each(PLACES)(
      "of a gateway %s gets the new list when a tool is added, and when it is taken away",
      async (_place, at) => {
        const gateway = await startGateway();
        const lists = queue<string[]>();
        const access = { headers: credentials(made.key), changed: lists.put };
        await using session = await client.connect(at(gateway.slug, gateway.address), access);
        expect((await session.tools()).map(({ name }) => name)).toEqual(["Chat_ListUsers"]);
        await gateway.allow(MORE);

        expect(await lists.take()).toEqual(["Chat_ListUsers", "Chat_WhoAmI"]);
        await gateway.allow(CHAT);
        expect(await lists.take()).toEqual(["Chat_ListUsers"]);
        expect((await session.tools()).map(({ name }) => name)).toEqual(["Chat_ListUsers"]);
      },
      20_000,
    );

    test("hears of an access hook that hides tools from its user; the client of another user does not", async () => {
      const gateway = await startGateway();
      await gateway.allow(MORE);
      const [alices, bobs] = [queue<string[]>(), queue<string[]>()];
      const connect = (user: string, { put: changed }: typeof alices) =>
        client.connect(gateway.address, { headers: credentials(made.key, user), changed });
      await using alice = await connect("alice", alices);
      await using bob = await connect("bob", bobs);
      for (const session of [alice, bob]) expect(await session.tools()).toHaveLength(2);
      await using _hook = await startHook("alice", ["WhoAmI"]);

      expect(await alices.take()).toEqual(["Chat_WhoAmI"]);
      await gateway.allow(CHAT);
      expect(await alices.take()).toEqual([]);
      // The first that bob hears.
      expect(await bobs.take()).toEqual(["Chat_ListUsers"]);
    }, 20_000);

    test("lists the tools of a worker that an administrator adds at the terminal", async () => {
      await using server = startNotes();
      const gateway = await startGateway();
      const id = `notes_${crypto.randomUUID().slice(0, 4)}`;
      await gateway.allow([...CHAT, `${toolkitOf(id)}.add_note`]);
      const lists = queue<string[]>();
      const access = { headers: credentials(made.key), changed: lists.put };
      await using session = await client.connect(gateway.address, access);
      expect(await session.tools()).toHaveLength(1);
      await runtime("workers", "create", server.url, "--id", id, "--yes");
      const added = performance.now();

      expect(await lists.take()).toEqual(["Chat_ListUsers", `${toolkitOf(id)}_add_note`]);
      console.log(`${client.name}: heard ${Math.round(performance.now() - added)} ms after the command`);
      await runtime("workers", "delete", id, "--yes");
      expect(await lists.take()).toEqual(["Chat_ListUsers"]);
    }, 30_000);
  },
);

/** An access hook that lets a user see some tools of the chat only. */
async function startHook(user: string, names: string[]): Promise<AsyncDisposable> {
  seen.set(user, names);
  const { plugins, hooks } = made.site.runtime;
  const endpoint = {
    url: `${peer.url}/access`,
    failure_mode: "fail_closed",
    phase: "before",
    timeout_ms: 2000,
  } as const;
  const plugin = await plugins.create(
    await operator(),
    {
      name: crypto.randomUUID(),
      plugin_type: "webhook",
      status: "active",
      webhook_config: { endpoints: { access: endpoint } },
    },
    "project",
  );
  return {
    [Symbol.asyncDispose]: async () => {
      for (const { id } of plugin.hooks) await hooks.delete(await operator(), id);
      await plugins.delete(await operator(), plugin.id);
    },
  };
}

const toolkitOf = (id: string): string =>
  id.replaceAll(/(?:^|_)(\w)/g, (_match, first: string) => first.toUpperCase());

/** A command of the administrator, in a process of its own. */
async function runtime(...args: string[]): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", ...made.site.environment };
  const child = Bun.spawn([process.execPath, MAIN, ...args], { env, stdout: "pipe", stderr: "pipe" });
  const text = (await child.stdout.text()) + (await child.stderr.text());
  expect([await child.exited, text]).toEqual([0, text]);
}

/** A server made with the official SDK. */
function startNotes(): AsyncDisposable & { url: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const notes = new McpServer({ name: "notes", version: "1.0.0" });
      notes.registerTool("add_note", { description: "Adds a note." }, () => ({ content: [] }));
      const transport = new WebStandardStreamableHTTPServerTransport();
      await notes.connect(transport);
      return transport.handleRequest(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Values in the order in which they come. */
function queue<T>() {
  const values: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    put: (value: T): void => {
      const next = waiting.shift();
      if (next === undefined) values.push(value);
      else next(value);
    },
    take: async (): Promise<T> => {
      const value = values.shift();
      return value ?? new Promise((resolve) => waiting.push(resolve));
    },
  };
}
