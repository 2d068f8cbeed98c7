// The official clients hear of changed lists of tools: at a gateway, from a program on the data folder, and through the relay.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
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
  },
);

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
