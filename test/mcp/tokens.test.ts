// Gateways for user tokens of the deployment's identity provider or of a customer's own: audience, scope, and how a client
// discovers where to get a token.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forgeries, issued } from "../interop/oidc/forge";
import { type OpenIdProvider, startOpenIdProvider } from "../interop/oidc/provider";
import { linkChat, type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { api, at } from "../support/api";
import type { CreateGateway } from "../../src/gateways";
import { client, post, request, valueAt } from "./site";

const SOURCE_AUDIENCE = "https://tools.customer.example";

let deployment: OpenIdSite;
let customer: OpenIdProvider;
beforeAll(async () => {
  customer = await startOpenIdProvider();
  const source = { issuer: customer.url, audience: SOURCE_AUDIENCE, user_claim: "sub" };
  const sources = [
    { id: "us_customer", ...source },
    { id: "us_apart", ...source, user_prefix: "customer:" },
  ];
  deployment = await startOpenIdSite({ environment: { RUNTIME_USER_SOURCES: JSON.stringify(sources) } });
  await gateway("tokens", {});
  await gateway("second", {});
  await gateway("customer", { auth_type: "user_source", user_source_id: "us_customer" });
  await gateway("apart", { auth_type: "user_source", user_source_id: "us_apart" });
});
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
  await customer[Symbol.asyncDispose]();
});

async function gateway(slug: string, record: Partial<CreateGateway>): Promise<void> {
  const { runtime } = deployment.site;
  const operator = await runtime.identity.operator("default");
  await runtime.gateways.create(operator, { name: `Gateway ${slug}`, slug, ...record });
}

const addressOf = (slug: string): string => `${deployment.site.url}/mcp/${slug}`;
const listed = (slug: string, token: string) => client(addressOf(slug), { key: token }).modern("tools/list");
const statusAt = async (slug: string, token: string): Promise<number> => (await listed(slug, token)).status;
const metadataOf = (slug: string): string =>
  `${deployment.site.url}/.well-known/oauth-protected-resource/mcp/${slug}`;

test("a prefix separates users of a customer's provider from ours with the same name", async () => {
  await linkChat(deployment.site, "carol");
  const whoAmI = async (slug: string) => {
    const key = issued(customer, SOURCE_AUDIENCE, { sub: "carol", scope: "openid mcp" });
    return client(addressOf(slug), { key }).modern("tools/call", { name: "Chat_WhoAmI", arguments: {} });
  };
  expect(valueAt(await whoAmI("customer"), "result.structuredContent.username")).toBe("carol");
  const apart = await whoAmI("apart");
  expect([valueAt(apart, "result.isError"), JSON.stringify(apart).includes("carol@")]).toEqual([true, false]);
  await linkChat(deployment.site, "customer:carol", "default", "bob");
  expect(valueAt(await whoAmI("apart"), "result.structuredContent.username")).toBe("bob");
});

describe("a gateway for user tokens", () => {
  test("answers a call without a token with its metadata address, which names the issuer", async () => {
    const answer = await post(addressOf("tokens"), request("initialize"));
    expect([answer.status, valueAt(answer, "name")]).toEqual([401, "invalid_authorization"]);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${metadataOf("tokens")}", scope="mcp"`,
    );
    for (const place of [
      metadataOf("tokens"),
      `${addressOf("tokens")}/.well-known/oauth-protected-resource`,
    ]) {
      const metadata = await api(place, undefined).get("");
      expect(metadata.body).toEqual({
        resource: addressOf("tokens"),
        authorization_servers: [deployment.provider.address],
        bearer_methods_supported: ["header"],
        scopes_supported: ["mcp"],
        resource_name: "Gateway tokens",
      });
      expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect((await fetch(metadataOf("nowhere"))).status).toBe(404);
  });

  test.each([
    ["no token", "", false],
    ["a scheme without a token", "Bearer", false],
    ["another scheme", "Basic YWxpY2U6c2VjcmV0", false],
    ["a wrong token", "Bearer wrong", true],
    ["a wrong token without a scheme", "wrong", true],
    ["two tokens", "Bearer wrong wrong", true],
  ])("answers %s with an error code only if there is a token", async (_what, authorization, hasCode) => {
    const headers = authorization === "" ? {} : { authorization };
    const answer = await fetch(addressOf("tokens"), { method: "POST", headers });
    expect(answer.status).toBe(401);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    expect([challenge.includes('error="invalid_token"'), challenge.includes("error")]).toEqual([
      hasCode,
      hasCode,
    ]);
  });

  test("runs for the user of a token with its audience", async () => {
    await linkChat(deployment.site, "alice");
    const call = { name: "Chat_WhoAmI", arguments: {} };
    const run = (sub: string) =>
      client(addressOf("tokens"), {
        key: issued(deployment.provider, addressOf("tokens"), { sub, scope: "openid mcp" }),
        // The user in the header is ignored.
        user: "alice",
      }).modern("tools/call", call);
    expect(valueAt(await run("alice"), "result.structuredContent.username")).toBe("alice");
    expect(valueAt(await run("bob"), "result.isError")).toBe(true);
  });

  test("accepts tokens of the project, and none of another gateway", async () => {
    const { provider, audience, site } = deployment;
    expect(await statusAt("tokens", issued(provider, audience))).toBe(200);
    expect(await statusAt("tokens", issued(provider, [addressOf("tokens"), "https://x.example"]))).toBe(200);
    for (const other of [
      addressOf("second"),
      `${addressOf("tokens")}/`,
      `${site.url}/mcp`,
      "https://x.example",
    ]) {
      const answer = await listed("tokens", issued(provider, other));
      expect([other, answer.status]).toEqual([other, 401]);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });

  test("has tokens that are not valid for the rest of the API", async () => {
    const token = issued(deployment.provider, addressOf("tokens"));
    expect((await api(deployment.site.url, token).get("/v1/tools?limit=1")).status).toBe(401);
  });

  test("asks for its scope if the token has others", async () => {
    const { provider } = deployment;
    const scoped = (claims: object) => listed("tokens", issued(provider, addressOf("tokens"), { ...claims }));
    for (const claims of [
      { scope: "openid profile" },
      { scp: ["read"] },
      { scope: "" },
      { scope: "mcp.read" },
    ]) {
      const answer = await scoped(claims);
      expect([claims, answer.status]).toEqual([claims, 403]);
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="${metadataOf("tokens")}", scope="mcp", error="insufficient_scope"`,
      );
    }
    expect((await scoped({ scope: "openid mcp" })).status).toBe(200);
    expect((await scoped({ scp: ["mcp"] })).status).toBe(200);
  });

  test("refuses forged tokens and API keys", async () => {
    const statuses = await Promise.all(
      forgeries(deployment.provider, addressOf("tokens")).map(async ([what, token]) => [
        what,
        await statusAt("tokens", token),
      ]),
    );
    expect(statuses.filter(([, status]) => status !== 401)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(20);
    expect(await statusAt("tokens", await deployment.site.key("admin"))).toBe(401);
  });
});

describe("a gateway with a customer's own provider", () => {
  test("accepts tokens of that provider, for its audience or the gateway's address, and names the provider", async () => {
    expect(await statusAt("customer", issued(customer, SOURCE_AUDIENCE))).toBe(200);
    expect(await statusAt("customer", issued(customer, addressOf("customer"), { scope: "whatever" }))).toBe(
      200,
    );
    const metadata = await api(metadataOf("customer"), undefined).get("");
    expect(at(metadata.body, "authorization_servers.0")).toBe(customer.url);
  });

  test("refuses tokens of the deployment's provider, and the other way round", async () => {
    const { provider } = deployment;
    expect(await statusAt("customer", issued(provider, SOURCE_AUDIENCE))).toBe(401);
    expect(await statusAt("customer", issued(provider, addressOf("customer")))).toBe(401);
    expect(await statusAt("tokens", issued(customer, addressOf("tokens")))).toBe(401);
    expect(await statusAt("customer", issued(customer, addressOf("tokens")))).toBe(401);
  });
});

test("a session of one user is refused with another user's token", async () => {
  const token = (sub: string) => issued(deployment.provider, addressOf("tokens"), { sub });
  const { session } = await client(addressOf("tokens"), { key: token("alice") }).initialize();
  const use = (key: string) =>
    client(addressOf("tokens"), { key }).legacy("tools/list", {}, { "mcp-session-id": session });
  expect((await use(token("alice"))).status).toBe(200);
  expect((await use(token("bob"))).status).toBe(404);
});
