// Metadata of servers and resources: what we read of a provider of users, and what gateways publish.
import { expect } from "bun:test";
import { type Site, startSite } from "../../support/site";
import { asks, check, gets, send } from "../exchange";
import { type Idp, type IdpOptions, OAUTH_DOCUMENT, OPENID_DOCUMENT, startIdp } from "../idp";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import type { World } from "../world";
import { refusesRecord } from "./consents";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const TOKENS = `${WELL_KNOWN}/mcp/tokens`;

interface Pair {
  idp: Idp;
  site: Site;
  /** The metadata of the gateway `g`, and the status of a call with a token for its address. */
  metadata(): Promise<Record<string, unknown>>;
  call(audience?: string): Promise<number>;
}

/** A deployment of its own for a provider of this kind; `urlOf`: `auth.url`. */
async function pair(
  options: IdpOptions,
  urlOf: (idp: Idp) => string,
  look: (pair: Pair) => Promise<unknown>,
  environment: Record<string, string> = {},
): Promise<void> {
  await using idp = startIdp(options);
  await using site = await startSite({ environment: { RUNTIME_AUTH_URL: urlOf(idp), ...environment } });
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.gateways.create(operator, { name: "G", slug: "g" });
  const address = `${environment["RUNTIME_PUBLIC_URL"] ?? site.url}/mcp/g`;
  await look({
    idp,
    site,
    metadata: async () => Object(await (await fetch(`${site.url}${WELL_KNOWN}/mcp/g`)).json()),
    call: async (audience = address) => {
      const response = await fetch(`${site.url}/mcp/g`, {
        method: "POST",
        headers: { authorization: `Bearer ${idp.token(audience)}`, "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      return response.status;
    },
  });
}

/** The issuer is published as the metadata spells it, and tokens of it are accepted. */
function published(options: IdpOptions, urlOf: (idp: Idp) => string): Proof {
  return () =>
    pair(options, urlOf, async ({ idp, metadata, call }) => {
      expect((await metadata())["authorization_servers"]).toEqual([idp.issuer]);
      expect(await call()).toBe(200);
    });
}

const refused =
  (options: IdpOptions, urlOf: (idp: Idp) => string): Proof =>
  () =>
    pair(options, urlOf, async ({ call, site }) => {
      expect(await call()).toBe(401);
      expect((await fetch(`${site.url}${WELL_KNOWN}/mcp/g`)).status).toBe(503);
    });

const origin = ({ origin: url }: Idp): string => url;
const tenant = ({ origin: url }: Idp): string => `${url}/tenant`;

export const rfc8414: Chapter = {
  id: "RFC 8414",
  title: "OAuth 2.0 Authorization Server Metadata",
  url: "https://www.rfc-editor.org/rfc/rfc8414",
  rows: [
    must("2", "an issuer has no query", refusesRecord({ issuer: "https://idp.example/?a=b" }, "query")),
    must("2", "an issuer has no fragment", refusesRecord({ issuer: "https://idp.example/#a" }, "fragment")),
    must(
      "2",
      "an issuer of a public host is https",
      refusesRecord({ issuer: "http://idp.example" }, "https"),
    ),
    must(
      "3",
      "metadata at oauth-authorization-server is read",
      published({ documents: [OAUTH_DOCUMENT] }, origin),
    ),
    must(
      "3.1",
      "the well-known part is inserted between host and path",
      published({ issuer: "/tenant", documents: [`${OAUTH_DOCUMENT}/tenant`] }, tenant),
    ),
    must(
      "3.1",
      "a slash at the end of the issuer is removed before",
      published(
        { issuer: "/tenant/", documents: [`${OAUTH_DOCUMENT}/tenant`] },
        ({ origin: url }) => `${url}/tenant/`,
      ),
    ),
    should(
      "5",
      "an OpenID document between host and path is read",
      published({ issuer: "/tenant", documents: [`${OPENID_DOCUMENT}/tenant`] }, tenant),
    ),
    should(
      "5",
      "an OpenID document after the path is read, as OpenID Connect says",
      published({ issuer: "/tenant", documents: [`/tenant${OPENID_DOCUMENT}`] }, tenant),
    ),
    should(
      "5",
      "a document of OAuth after the path is read too",
      published({ issuer: "/tenant", documents: [`/tenant${OAUTH_DOCUMENT}`] }, tenant),
    ),
    must("3.2", "an answer that is not JSON is not metadata", async () => {
      await using server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      });
      await using site = await startSite({
        environment: { RUNTIME_AUTH_URL: `http://127.0.0.1:${server.port}` },
      });
      const operator = await site.runtime.identity.operator("default");
      await site.runtime.gateways.create(operator, { name: "G", slug: "g" });
      expect((await fetch(`${site.url}${WELL_KNOWN}/mcp/g`)).status).toBe(503);
    }),
    must(
      "3.3",
      "the issuer that is published is the one of the metadata, to the letter",
      published({ issuer: "/" }, origin),
    ),
    must(
      "3.3",
      "a setting with a slash gives the issuer without one, if the metadata has none",
      published({}, ({ origin: url }) => `${url}/`),
    ),
    must(
      "3.3",
      "with a path, too",
      published({ issuer: "/tenant/", documents: [`/tenant${OPENID_DOCUMENT}`] }, tenant),
    ),
    mustNot("3.3", "metadata of another issuer is used", refused({ issuer: "/other" }, origin)),
    mustNot(
      "3.3",
      "metadata of another host is used",
      refused({ metadata: { issuer: "https://idp.example" } }, origin),
    ),
    must(
      "3.3",
      "the issuer of the metadata is identical to the one that was asked",
      published({ issuer: "/" }, origin),
      "A slash at the end that the setting leaves out or adds is forgiven, because people copy addresses. Whatever is published, compared with tokens, or sent to clients is the text of the metadata.",
    ),
  ],
};

const at = (path: string, expected: object, more: object = {}): Proof => gets(path, expected, more);

export const rfc9728: Chapter = {
  id: "RFC 9728",
  title: "OAuth 2.0 Protected Resource Metadata",
  url: "https://www.rfc-editor.org/rfc/rfc9728",
  rows: [
    must(
      "2",
      "metadata has the resource",
      at(TOKENS, { body: ({ gateways }: World) => ({ resource: gateways.tokens }) }),
    ),
    should(
      "2",
      "authorization_servers has issuers, to the letter",
      at(TOKENS, { body: ({ idp }: World) => ({ authorization_servers: [idp.issuer] }) }),
    ),
    should("2", "scopes_supported has the scopes", at(TOKENS, { body: { scopes_supported: ["mcp"] } })),
    should(
      "2",
      "bearer_methods_supported has the header only",
      at(TOKENS, { body: { bearer_methods_supported: ["header"] } }),
    ),
    should("2", "resource_name is for people", at(TOKENS, { body: { resource_name: "Tokens" } })),
    mustNot("2", "members without a value are included", at(TOKENS, { not: /null|\[\]/ })),
    must("3", "metadata is at the well-known address between host and path", at(TOKENS, { status: 200 })),
    must("3.1", "metadata of a resource behind a path prefix is between host and prefix", () =>
      pair(
        {},
        origin,
        async ({ site, call }) => {
          const response = await fetch(`${site.url}${WELL_KNOWN}/prefix/mcp/g`);
          expect(Object(await response.json()).resource).toBe("https://runtime.example/prefix/mcp/g");
          const bare = await fetch(`${site.url}/mcp/g`, {
            method: "POST",
            body: "{}",
            headers: { host: "runtime.example" },
          });
          expect(bare.headers.get("www-authenticate")).toContain(
            `"https://runtime.example${WELL_KNOWN}/prefix/mcp/g"`,
          );
          expect(await call("https://runtime.example/prefix/mcp/g")).toBe(200);
        },
        { RUNTIME_PUBLIC_URL: "https://runtime.example/prefix" },
      ),
    ),
    must(
      "3.2",
      "the answer is 200 and application/json",
      at(TOKENS, { status: 200, headers: { "content-type": /^application\/json/ } }),
    ),
    must("3.2", "a resource that does not exist is 404", at(`${WELL_KNOWN}/mcp/nowhere`, { status: 404 })),
    must("3.2", "a gateway that takes no tokens has none", at(`${WELL_KNOWN}/mcp/keys`, { status: 404 })),
    must(
      "3.3",
      "the resource is the one that was asked: by its address",
      at(TOKENS, { body: ({ gateways }: World) => ({ resource: gateways.tokens }) }),
    ),
    must("3.3", "the resource is the one that was asked: localhost", onLoopback("localhost")),
    must("3.3", "the resource is the one that was asked: [::1]", onLoopback("[::1]")),
    mustNot("3.3", "another port makes another resource of ours", async (world) => {
      const answer = await send(world, { path: TOKENS, headers: { host: "localhost:1" } });
      expect(JSON.parse(answer.text).resource).toBe(world.gateways.tokens);
    }),
    mustNot(
      "3.3",
      "a token of a program at another port is accepted when that port is in Host",
      async (world) => {
        const token = world.token({}, "http://localhost:1/mcp/tokens");
        await check(world, await ping(world, token, { host: "localhost:1" }), { status: 401 });
      },
    ),
    mustNot("3.3", "a name that is not of this machine makes a resource", async (world) => {
      const answer = await send(world, {
        path: TOKENS,
        headers: { host: `evil.example:${new URL(world.url).port}` },
      });
      expect(JSON.parse(answer.text).resource).toBe(world.gateways.tokens);
    }),
    must(
      "5.1",
      "a 401 names the metadata",
      asks(
        { path: "/mcp/tokens", body: {} },
        {
          status: 401,
          headers: {
            "www-authenticate":
              /resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource\/mcp\/tokens"/,
          },
        },
      ),
    ),
    must("5.1", "the address in the challenge is that of the host that was asked", async (world) => {
      const host = `localhost:${new URL(world.url).port}`;
      const answer = await send(world, { path: "/mcp/tokens", body: {}, headers: { host } });
      expect(answer.headers.get("www-authenticate")).toContain(`"http://${host}${TOKENS}"`);
    }),
    should("7.3", "metadata is served without a credential", at(TOKENS, { status: 200 })),
    should(
      "7.9",
      "metadata says nothing about a failing provider of users than that it fails",
      refused({ documents: [] }, origin),
    ),
  ],
};

function ping(world: World, token: string, headers: Record<string, string> = {}) {
  return send(world, {
    path: "/mcp/tokens",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: { jsonrpc: "2.0", id: 1, method: "ping" },
  });
}

/** The gateway under another name of this machine: its metadata, and tokens for either name. */
function onLoopback(name: string): Proof {
  return async (world) => {
    const host = `${name}:${new URL(world.url).port}`;
    const resource = `http://${host}/mcp/tokens`;
    const answer = await send(world, { path: TOKENS, headers: { host } });
    expect(JSON.parse(answer.text).resource).toBe(resource);
    expect((await ping(world, world.token({}, resource), { host })).status).toBe(200);
    expect((await ping(world, world.token(), { host })).status).toBe(200);
    expect((await ping(world, world.token({}, resource))).status).toBe(200);
  };
}

export const rfc8707: Chapter = {
  id: "RFC 8707",
  title: "Resource Indicators for OAuth 2.0",
  url: "https://www.rfc-editor.org/rfc/rfc8707",
  rows: [
    must(
      "2",
      "a resource is an absolute address without a fragment",
      at(TOKENS, { body: /"resource":"http:\/\/[^#"]+"/ }),
    ),
    should("2", "a resource has no query", at(TOKENS, { body: /"resource":"[^?"]+"/ })),
    must("2", "a token for the resource is accepted", async (world) =>
      expect((await ping(world, world.token())).status).toBe(200),
    ),
    must("2", "a token for several resources is accepted by each", async (world) =>
      expect((await ping(world, world.token({}, ["https://x.example", world.gateways.tokens]))).status).toBe(
        200,
      ),
    ),
    mustNot("2", "a token for another resource is accepted", async (world) =>
      expect((await ping(world, world.token({}, world.gateways.keys))).status).toBe(401),
    ),
    mustNot("2", "a token for the resource with a slash at the end is accepted", async (world) =>
      expect((await ping(world, world.token({}, `${world.gateways.tokens}/`))).status).toBe(401),
    ),
    mustNot("2", "a token for a part of the path is accepted", async (world) =>
      expect((await ping(world, world.token({}, `${world.url}/mcp`))).status).toBe(401),
    ),
    mustNot("2", "a token for a gateway is accepted by the rest of the API", async (world) => {
      const answer = await send(world, {
        path: "/v1/tools?limit=1",
        headers: { authorization: `Bearer ${world.token()}` },
      });
      expect(answer.status).toBe(401);
    }),
  ],
};
