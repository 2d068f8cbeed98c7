// The authorization request to the provider.
import { describe, expect, test } from "bun:test";
import { providerAddress } from "../../src/authorization/address";
import type { Provider } from "../../src/providers";
import { agent, deploy, operator } from "../tools/deployment";
import { Person } from "./person";

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const REDIRECT = "https://runtime.example/api/v1/oauth/x/callback";

function provider(authorize: object, more: object = {}): Provider {
  const params = {
    response_type: "code",
    client_id: "{{client_id}}",
    redirect_uri: "{{redirect_uri}}",
    scope: "{{scopes}}",
  };
  return {
    id: "idp",
    projectId: "default",
    providerId: undefined,
    type: "oauth2",
    description: undefined,
    active: true,
    version: 1,
    redirectUri: REDIRECT,
    oauth2: {
      clientId: "cli ent&co",
      scopeDelimiter: " ",
      pkce: true,
      authorize: { endpoint: "https://idp.example/authorize", params, ...authorize },
      token: { endpoint: "https://idp.example/token" },
      refresh: undefined,
      userInfo: undefined,
      facts: {},
      account: [],
      ...more,
    },
    origins: ["https://idp.example"],
    originsId: "",
    sealedClientSecret: null,
    sealedPrivateKey: null,
  };
}

async function address(of: Provider, options: { granted?: string[]; verifier?: string } = {}): Promise<URL> {
  const { granted = [], verifier } = options;
  return new URL(
    await providerAddress({ provider: of, scopes: ["a", "b", "c"], granted, state: "S", verifier }),
  );
}

describe("the authorization request", () => {
  test("has each standard parameter once", async () => {
    const url = await address(provider({}), { verifier: VERIFIER });

    expect(url.origin + url.pathname).toBe("https://idp.example/authorize");
    expect([...url.searchParams]).toEqual([
      ["response_type", "code"],
      ["client_id", "cli ent&co"],
      ["redirect_uri", REDIRECT],
      ["scope", "a b c"],
      ["state", "S"],
      // RFC 7636, appendix B.
      ["code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
      ["code_challenge_method", "S256"],
    ]);
  });

  test("has no challenge without PKCE", async () => {
    const { search } = await address(provider({}));
    expect(search).toContain("state=");
    expect(search).not.toContain("code_challenge");
  });

  test("keeps the query of the endpoint, without a second question mark [fault: query-in-endpoint]", async () => {
    const url = await address(
      provider({ endpoint: "https://idp.example/auth?access_type=offline&state=old" }),
    );

    expect(url.href.split("?")).toHaveLength(2);
    expect(url.searchParams.getAll("access_type")).toEqual(["offline"]);
    expect(url.searchParams.getAll("state")).toEqual(["S"]);
  });

  test("joins scopes with the provider's own separator, under its own name [fault: scope-separator]", async () => {
    const params = { client_id: "{{client_id}}", user_scope: "{{scopes}}", redirect_uri: "{{redirect_uri}}" };
    const { searchParams } = await address(provider({ params }, { scopeDelimiter: "," }));

    expect(searchParams.get("user_scope")).toBe("a,b,c");
    expect(searchParams.has("scope")).toBe(false);
  });

  test("requests all scopes in {{scopes}}, including granted ones", async () => {
    const { searchParams } = await address(provider({}), { granted: ["a"] });

    expect(searchParams.get("scope")).toBe("a b c");
  });

  test("requests only new scopes in {{scopes}} if a template contains the granted ones separately", async () => {
    const params = { scope: "{{scopes}} {{existing_scopes}}", old: "{{existing_scopes}}" };
    const { searchParams } = await address(provider({ params }), { granted: ["a"] });

    expect([searchParams.get("scope"), searchParams.get("old")]).toEqual(["b c a", "a"]);
  });

  test("omits empty parameters and contains no secret", async () => {
    const params = { old: "{{existing_scopes}}", secret: "{{client_secret}}", prompt: "consent" };
    const { searchParams } = await address(provider({ params }));

    expect([...searchParams.keys()]).toEqual(["prompt", "state"]);
  });

  test("fills in the client id in the endpoint", async () => {
    const url = await address(provider({ endpoint: "https://idp.example/{{client_id}}/authorize" }));

    expect(url.pathname).toBe("/cli%20ent&co/authorize");
  });
});

test.each<[string, object, boolean, string]>([
  ["a custom provider", {}, true, "scope=a+b"],
  ["a well-known one whose preset has PKCE off", { provider_id: "known" }, false, "user_scope=a%2Cb"],
])("%s is asked as its record says", async (_name, record, pkce, scopes) => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  await deployment.addProvider(record);
  const started = await runtime.tools.authorize(agent(), { tool_name: "Test.Call", user_id: "alice" });

  const { location } = await new Person(runtime).toProvider(started);

  expect(location.search).toContain(scopes);
  expect(location.searchParams.has("code_challenge")).toBe(pkce);
  const { oauth2 } = await runtime.providers.get(operator(), "idp");
  expect(location.searchParams.get("redirect_uri")).toBe(oauth2?.redirect_uri ?? "");
});
