// A server whose sign-in chain is empty or broken: no provider of tokens, a provider that vanished from the configuration,
// an issuer that cannot be reached or has no keys. It must refuse everybody, not admit everybody.
import { afterAll, describe, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { startOpenIdProvider } from "../interop/oidc/provider";
import { startOpenIdSite } from "../interop/oidc/site";
import { loadConfig } from "../support/config";
import { api } from "../support/api";
import { startSite } from "../support/site";
import { printFigure } from "./figure";

let tried = 0;
afterAll(() =>
  printFigure("a server that starts with an empty sign-in chain", `${tried} requests: 0 admitted`),
);

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** Statuses with each credential that could pass by mistake, at the API and at a gateway. */
async function admitted(
  url: string,
  path: string,
  tokens: readonly (string | undefined)[],
): Promise<number[]> {
  const statuses: number[] = [];
  for (const token of tokens) {
    const headers = {
      "content-type": "application/json",
      "x-user-id": "alice",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const init = path.startsWith("/mcp/") ? { method: "POST", headers, body: LIST } : { headers };
    const { status } = await fetch(url + path, init);
    tried += 1;
    if (status !== 401) statuses.push(status);
  }
  return statuses;
}

const unsigned = (claims: object): string =>
  [{ alg: "none", typ: "at+jwt" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".") + ".AA";

/** What a caller could send to a server that does not check. */
const NOBODY = [
  undefined,
  "",
  "null",
  "undefined",
  "rt_",
  "Bearer",
  "a.b.c",
  unsigned({ sub: "alice", aud: "https://x.example", exp: 9_999_999_999 }),
];

describe("without a provider of user tokens", () => {
  test("every token is refused at the API", async () => {
    await using provider = await startOpenIdProvider();
    await using site = await startSite();

    expect(await admitted(site.url, "/v1/tools", [...NOBODY, issued(provider, site.url)])).toEqual([]);
  });

  test("a gateway that takes user tokens cannot be made, and one that was made before refuses everybody", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider } = deployment;
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.gateways.create(operator, { name: "tokens", slug: "tokens" });
    // The same data folder, after the setting was removed.
    await using after = await startSite({ folder: site.folder, chat: site.chat });
    const again = await after.runtime.identity.operator("default");
    const made = after.runtime.gateways.create(again, { name: "more", slug: "more" });

    expect(await made.catch(({ status }: { status: number }) => status)).toBe(400);
    const tokens = [
      ...NOBODY,
      issued(provider, after.url),
      issued(provider, site.url),
      await after.key("admin"),
    ];
    expect(await admitted(after.url, "/mcp/tokens", tokens)).toEqual([]);
    expect((await fetch(`${after.url}/.well-known/oauth-protected-resource/mcp/tokens`)).status).toBe(404);
  });

  test("a gateway of a user source that was removed refuses everybody, also users of the own provider", async () => {
    await using customer = await startOpenIdProvider();
    const source = { id: "us_customer", issuer: customer.url, audience: "https://tools.example" };
    await using deployment = await startOpenIdSite({
      environment: { RUNTIME_USER_SOURCES: JSON.stringify([source]) },
    });
    const { site, provider } = deployment;
    const operator = await site.runtime.identity.operator("default");
    const record = {
      name: "c",
      slug: "customer",
      auth_type: "user_source",
      user_source_id: "us_customer",
    } as const;
    await site.runtime.gateways.create(operator, record);
    await using after = await startSite({
      folder: site.folder,
      chat: site.chat,
      environment: { RUNTIME_AUTH_URL: provider.address },
    });

    const tokens = [
      ...NOBODY,
      issued(customer, "https://tools.example"),
      issued(provider, after.url),
      issued(provider, `${after.url}/mcp/customer`),
      await after.key("admin"),
    ];
    expect(await admitted(after.url, "/mcp/customer", tokens)).toEqual([]);
  });
});

describe("with a provider that gives no keys", () => {
  test.each<[string, (path: string) => Response]>([
    ["that answers errors", () => new Response("down", { status: 500 })],
    ["without metadata", () => Response.json({})],
    ["with an empty key set", (path) => answer(path, { keys: [] })],
    ["with a key set of another form", (path) => answer(path, { keys: null })],
    ["with a symmetric key", (path) => answer(path, { keys: [{ kty: "oct", k: "AAAA", alg: "HS256" }] })],
  ])("%s, every token is refused", async (_what, respond) => {
    let issuer = "";
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const response = respond(new URL(request.url).pathname);
        const text = (await response.text()).replaceAll("ISSUER", issuer);
        return new Response(text, {
          status: response.status,
          headers: { "content-type": "application/json" },
        });
      },
    });
    issuer = `http://127.0.0.1:${server.port}`;
    await using provider = await startOpenIdProvider();
    await using site = await startSite({ environment: { RUNTIME_AUTH_URL: issuer } });
    const tokens = [...NOBODY, issued(provider, site.url), issued({ ...provider, url: issuer }, site.url)];

    expect(await admitted(site.url, "/v1/tools", tokens)).toEqual([]);
    await server.stop(true);
  });

  function answer(path: string, keys: object): Response {
    if (path === "/jwks") return Response.json(keys);
    return Response.json({
      issuer: "ISSUER",
      jwks_uri: "ISSUER/jwks",
      authorization_endpoint: "ISSUER/authorize",
    });
  }
});

test.each([
  ["an empty address", { RUNTIME_AUTH_URL: " " }],
  ["an address that is not one", { RUNTIME_AUTH_URL: "not-a-url" }],
  ["a source without an audience", { RUNTIME_USER_SOURCES: '[{"id":"a","issuer":"https://a.example"}]' }],
  ["a source without an issuer", { RUNTIME_USER_SOURCES: '[{"id":"a","audience":"x"}]' }],
])("a configuration with %s does not start", (_what, environment) => {
  expect(() => loadConfig({ environment: { HOME: "/nonexistent", ...environment } })).toThrow();
  tried += 1;
});

test("a request without a credential is 401 at every address that needs one", async () => {
  await using site = await startSite();
  for (const path of ["/v1/tools", "/v1/admin/keys", "/v1/caller", "/v1/admin/manifest"]) {
    expect((await api(site.url, undefined).get(path)).status).toBe(401);
    tried += 1;
  }
});
