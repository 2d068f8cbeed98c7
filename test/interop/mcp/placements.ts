// The ways in which a gateway and its provider of users can be placed, for clients that find their own way to a token.
import { type OpenIdSite, startOpenIdSite } from "../oidc/site";
import { gatewaySiteOf } from "./gateway";

export interface Placement {
  name: string;
  start(): Promise<Placed>;
}

export interface Placed extends AsyncDisposable {
  /** The address of the gateway that the client is given. */
  address: string;
  openId: OpenIdSite;
}

const OPTIONS = { registration: true, resourceScope: "mcp", scopes: ["mcp"] };
type Options = NonNullable<Parameters<typeof startOpenIdSite>[0]>;

export const placements: readonly Placement[] = [
  { name: "auth.url as the issuer is", start: () => placed({}) },
  {
    name: "auth.url with a slash that the issuer lacks",
    start: () => placed({ authUrl: ({ address }) => `${address}/` }),
  },
  {
    name: "auth.url without the slash of the issuer",
    start: () => placed({ issuerSlash: true, authUrl: ({ address }) => address }),
  },
  { name: "metadata of OAuth only", start: () => placed({ metadata: "oauth" }) },
  { name: "an issuer with a path", start: () => placed({ path: "/tenant" }) },
  { name: "localhost", start: () => placed({}, (url) => url.replace("127.0.0.1", "localhost")) },
  { name: "a public_url with a path", start: startBehindPrefix },
];

async function placed(more: Options, addressOf = (url: string): string => url): Promise<Placed> {
  const openId = await startOpenIdSite({ ...OPTIONS, ...more });
  const { gateway } = await gatewaySiteOf(openId.site);
  const address = addressOf(await gateway("team", { auth_type: "arcade" }));
  return { address, openId, [Symbol.asyncDispose]: () => openId[Symbol.asyncDispose]() };
}

/** A proxy that takes a prefix off, and passes the metadata on whose address begins before it. */
async function startBehindPrefix(): Promise<Placed> {
  let target = "";
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const isMetadata = pathname.startsWith("/.well-known/oauth-protected-resource/prefix/");
      if (!isMetadata && !pathname.startsWith("/prefix/")) return new Response("", { status: 404 });
      const path = isMetadata ? pathname : pathname.slice("/prefix".length);
      const { body, method, headers } = request;
      const answer = await fetch(target + path + search, { method, headers, body, redirect: "manual" });
      return new Response(answer.body, answer);
    },
  });
  const publicUrl = `http://127.0.0.1:${proxy.port}/prefix`;
  const openId = await startOpenIdSite({ ...OPTIONS, environment: { RUNTIME_PUBLIC_URL: publicUrl } });
  target = openId.site.url;
  const { gateway } = await gatewaySiteOf(openId.site);
  await gateway("team", { auth_type: "arcade" });
  return {
    address: `${publicUrl}/mcp/team`,
    openId,
    [Symbol.asyncDispose]: async () => {
      await proxy.stop(true);
      await openId[Symbol.asyncDispose]();
    },
  };
}
