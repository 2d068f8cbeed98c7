// A multi-tenant provider, whose metadata has a placeholder in its issuer: tokens are only accepted for the tenant that the
// operator configures.
import { expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { newSigningKey } from "../interop/oidc/keys";
import { api, at } from "../support/api";
import { startSite } from "../support/site";

const TEMPLATE = "{tenantid}/v2.0";
const ACME = "acme/v2.0";

/** Metadata and keys of all tenants, at paths below the address of the provider. */
function startTenants(template: string) {
  const key = newSigningKey();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: ({ url }) => {
      const { origin, pathname } = new URL(url);
      if (pathname === "/jwks") return Response.json({ keys: [key.publicJwk] });
      if (pathname !== "/common/v2.0/.well-known/openid-configuration")
        return new Response("", { status: 404 });
      return Response.json({ issuer: `${origin}/${template}`, jwks_uri: `${origin}/jwks` });
    },
  });
  return { key, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** The result for a token of the tenant with this `auth.issuer` (a path below the address of the provider, or none). */
async function answered(tenant: string, chosen: string | undefined, template = TEMPLATE): Promise<unknown[]> {
  await using tenants = startTenants(template);
  const { url, key } = tenants;
  await using site = await startSite({
    environment: {
      RUNTIME_AUTH_URL: `${url}/common/v2.0`,
      ...(chosen === undefined
        ? {}
        : { RUNTIME_AUTH_ISSUER: chosen.includes("://") ? chosen : `${url}/${chosen}` }),
    },
  });
  const token = issued({ url: `${url}/${tenant}`, key }, site.url);
  const { status, body } = await api(site.url, token).get("/v1/tools?limit=1");
  return [status, at(body, "message")];
}

const OTHER_ISSUER =
  "The user token was refused: the metadata of the OpenID provider at auth.url has another issuer.";

test("a token of the configured tenant is accepted [fault: issuer-template]", async () => {
  expect(await answered(ACME, ACME)).toEqual([200, undefined]);
});

test.each([
  ["another tenant's token", "evil/v2.0"],
  ["a token that bears the template itself", TEMPLATE],
  ["a token of the common address", "common/v2.0"],
])("%s is refused", async (_name, tenant) => {
  expect(await answered(tenant, ACME)).toEqual([401, expect.stringContaining("issuer")]);
});

test("without a configured issuer, no token is accepted", async () => {
  for (const tenant of [ACME, TEMPLATE, "common/v2.0"]) {
    expect(await answered(tenant, undefined)).toEqual([401, OTHER_ISSUER]);
  }
});

test.each([
  ["of another host", "https://idp.example/acme/v2.0", TEMPLATE],
  ["of another version", "acme/v1.0", TEMPLATE],
  ["with a part more", "acme/x/v2.0", TEMPLATE],
  ["with an empty tenant", "/v2.0", TEMPLATE],
  ["where the placeholder is only a part of a segment", "acme/v2.0", "ac{rest}/v2.0"],
  ["where the metadata names another tenant", "acme/v2.0", "evil/v2.0"],
])(
  "an issuer %s does not match the template, and no token is accepted [fault: issuer-template]",
  async (_name, chosen, template) => {
    expect(await answered(ACME, chosen, template)).toEqual([401, OTHER_ISSUER]);
  },
);

test("a configured issuer that is exactly the one of the metadata is accepted", async () => {
  expect(await answered(ACME, ACME, ACME)).toEqual([200, undefined]);
});
