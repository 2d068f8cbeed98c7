// What the rows of the ledger share: one deployment with gateways, a provider of users, and a scripted OAuth provider. Each is
// started when the first row needs it.
import { type Hooked, hooked } from "../hooks/hooked";
import { conformanceCatalogs, slowCatalog } from "../interop/mcp/fixtures";
import { type Site, startSite } from "../support/site";
import { type Idp, startIdp } from "./idp";
import { Provider } from "./provider";

export interface World {
  readonly url: string;
  /** Host and port of it. */
  readonly host: string;
  readonly site: Site;
  readonly keys: { readonly admin: string; readonly run: string; readonly read: string };
  readonly idp: Idp;
  /** Addresses of gateways: with API keys, and with user tokens. */
  readonly gateways: { readonly keys: string; readonly tokens: string };
  /** A user token for the gateway `tokens`. */
  readonly token: (claims?: Record<string, unknown>, audience?: unknown) => string;
  /** The next run of `slow_wait`, which lasts until it is stopped. */
  slow(): { begun: Promise<void>; ended: Promise<"stopped" | "done"> };
  /** A session of the 2025 family at the gateway `keys`. */
  session(): Promise<string>;
  /** Consents at a scripted OAuth provider. */
  provider(): Promise<Provider>;
  /** The same at a deployment whose clock rows may move. */
  movable(): Promise<Provider>;
  /** A deployment with a webhook. */
  hooked(): Promise<Hooked>;
}

export type OpenWorld = World & AsyncDisposable;

export async function openWorld(): Promise<OpenWorld> {
  // The issuer has a slash that the setting leaves out.
  const idp = startIdp({ issuer: "/" });
  let [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<"stopped" | "done">()];
  const waiting = slowCatalog(
    () => begun.resolve(),
    (how) => ended.resolve(how),
  );
  const site = await startSite({
    moreCatalogs: [...conformanceCatalogs, waiting],
    environment: { RUNTIME_AUTH_URL: idp.origin, RUNTIME_HTTP_BODY_TIMEOUT: "2" },
  });
  const operator = await site.runtime.identity.operator("default");
  const names = conformanceCatalogs.flatMap(({ toolkit, tools }) =>
    tools.map(({ name }) => `${toolkit.name}.${name}`),
  );
  const tool_filter = { allowed_tools: [...names, "Chat.WhoAmI", "slow.wait"] };
  await site.addChatProvider();
  await site.runtime.gateways.create(operator, {
    name: "Keys",
    slug: "keys",
    auth_type: "arcade_header",
    tool_filter,
  });
  await site.runtime.gateways.create(operator, { name: "Tokens", slug: "tokens", tool_filter });
  const keys = { admin: await site.key("admin"), run: await site.key("run"), read: await site.key("read") };
  const gateways = { keys: `${site.url}/mcp/keys`, tokens: `${site.url}/mcp/tokens` };
  let provider: Promise<Provider> | undefined;
  let movable: Promise<Provider> | undefined;
  let webhooks: Promise<Hooked> | undefined;
  const world: World = {
    url: site.url,
    host: new URL(site.url).host,
    site,
    keys,
    idp,
    gateways,
    token: (claims, audience = gateways.tokens) => idp.token(audience, claims),
    slow: () => {
      [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<"stopped" | "done">()];
      return { begun: begun.promise, ended: ended.promise };
    },
    session: async () => {
      const response = await fetch(gateways.keys, {
        method: "POST",
        headers: {
          authorization: `Bearer ${keys.run}`,
          "x-user-id": "alice",
          "content-type": "application/json",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "x", version: "1" },
          },
        }),
      });
      return response.headers.get("mcp-session-id") ?? "";
    },
    provider: () => (provider ??= Provider.start()),
    movable: () => (movable ??= Provider.start()),
    hooked: () => (webhooks ??= hooked()),
  };
  return Object.assign(world, {
    [Symbol.asyncDispose]: async () => {
      await (await provider)?.[Symbol.asyncDispose]();
      await (await movable)?.[Symbol.asyncDispose]();
      await (await webhooks)?.[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    },
  });
}
