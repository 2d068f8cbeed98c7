// Changes of a provider: what is merged, what is replaced, and which changes affect pending consents.
import { describe, expect, test } from "bun:test";
import type { AuthProviderPatch } from "../../src/providers";
import { refusal } from "../connections/executing";
import { deploy, type Deployment, operator } from "../tools/deployment";

const ENDPOINT = "https://idp.example/token";

async function created(): Promise<Deployment> {
  const deployment = await deploy();
  await deployment.addProvider({
    description: "first",
    oauth2: {
      client_id: "client",
      client_secret: "first-secret",
      scope_delimiter: ",",
      pkce: { enabled: false, code_challenge_method: "S256" },
      authorize_request: { endpoint: "https://idp.example/authorize" },
      token_request: {
        endpoint: ENDPOINT,
        method: "POST",
        params: { one: "1", two: "2" },
        response_map: { access_token: "$.token", scope: "$.granted" },
      },
    },
  });
  return deployment;
}

async function version({ runtime }: Deployment): Promise<number | undefined> {
  return (await runtime.providers.find("default", "idp"))?.version;
}

async function secretOf({ runtime }: Deployment): Promise<string | undefined> {
  const provider = await runtime.providers.find("default", "idp");
  return provider === undefined ? undefined : (await runtime.providers.clientKeys(provider)).secret;
}

describe("a change", () => {
  test("of a field keeps the fields next to it, at every depth", async () => {
    await using deployment = await created();
    const patch = { oauth2: { pkce: { enabled: true }, token_request: { method: "GET" } } } as const;
    const { oauth2, description } = await deployment.runtime.providers.update(operator(), "idp", patch);

    expect(description).toBe("first");
    expect(oauth2).toMatchObject({
      client_id: "client",
      scope_delimiter: ",",
      pkce: { enabled: true, code_challenge_method: "S256" },
      token_request: { endpoint: ENDPOINT, method: "GET", params: { one: "1", two: "2" } },
    });
  });

  test("of a free map replaces the map", async () => {
    await using deployment = await created();
    const token_request = { params: { three: "3" }, response_map: { access_token: "$.t" } };
    const { oauth2 } = await deployment.runtime.providers.update(operator(), "idp", {
      oauth2: { token_request },
    });

    expect(oauth2?.token_request).toEqual({ endpoint: ENDPOINT, method: "POST", ...token_request });
  });

  test("adds a missing request", async () => {
    await using deployment = await created();
    const refresh_request = { endpoint: ENDPOINT };
    const { oauth2 } = await deployment.runtime.providers.update(operator(), "idp", {
      oauth2: { refresh_request },
    });

    expect(oauth2?.refresh_request).toEqual(refresh_request);
  });

  test("keeps the secret if none is given, and replaces it otherwise", async () => {
    await using deployment = await created();
    const { runtime } = deployment;
    await runtime.providers.update(operator(), "idp", { oauth2: { client_id: "other" } });
    const kept = await secretOf(deployment);
    await runtime.providers.update(operator(), "idp", { oauth2: { client_secret: "second-secret" } });

    expect([kept, await secretOf(deployment)]).toEqual(["first-secret", "second-secret"]);
  });

  test("changes updated_at but not created_at and the redirect address", async () => {
    await using deployment = await created();
    const { runtime, clock } = deployment;
    const before = await runtime.providers.get(operator(), "idp");
    clock.move(5000);
    const after = await runtime.providers.update(operator(), "idp", { description: "second" });

    expect(after.created_at).toBe(before.created_at);
    expect(after.oauth2?.redirect_uri).toBe(before.oauth2?.redirect_uri);
    expect(Date.parse(after.updated_at) - Date.parse(before.updated_at)).toBeGreaterThanOrEqual(5000);
  });
});

describe("the version, on which pending consents depend,", () => {
  test.each<[string, AuthProviderPatch]>([
    ["another client", { oauth2: { client_id: "other" } }],
    ["another secret", { oauth2: { client_secret: "second-secret" } }],
    [
      "another endpoint",
      { oauth2: { token_request: { endpoint: "https://other.example/token" }, client_secret: "s" } },
    ],
    ["another separator", { oauth2: { scope_delimiter: " " } }],
    ["other parameters", { oauth2: { token_request: { params: {} } } }],
    ["another preset", { provider_id: "known", oauth2: { client_secret: "s" } }],
  ])("grows by %s", async (_name, patch) => {
    await using deployment = await created();
    await deployment.runtime.providers.update(operator(), "idp", patch);

    expect(await version(deployment)).toBe(2);
  });

  test.each<[string, AuthProviderPatch]>([
    ["nothing", {}],
    ["the id of the path", { id: "idp" }],
    ["another description", { description: "second" }],
    ["another status", { status: "inactive" }],
    ["what it is already", { oauth2: { client_id: "client", token_request: { endpoint: ENDPOINT } } }],
  ])("does not grow by %s", async (_name, patch) => {
    await using deployment = await created();
    await deployment.runtime.providers.update(operator(), "idp", patch);

    expect(await version(deployment)).toBe(1);
  });
});

describe("a change is refused and has no effect", () => {
  test.each<[string, AuthProviderPatch, string[] | undefined]>([
    ["of the id", { id: "other", description: "second" }, undefined],
    [
      "to an endpoint that is none",
      { description: "second", oauth2: { token_request: { endpoint: "nowhere" } } },
      ["oauth2.token_request.endpoint"],
    ],
    [
      "that leaves a new request without an endpoint",
      { description: "second", oauth2: { refresh_request: { method: "POST" } } },
      ["oauth2.refresh_request.endpoint"],
    ],
    [
      "that leaves a new request without its triggers",
      { description: "second", oauth2: { user_info_request: { endpoint: ENDPOINT } } },
      ["oauth2.user_info_request.triggers"],
    ],
    [
      "to an expression that cannot be read",
      { description: "second", oauth2: { token_request: { response_map: { scope: "x" } } } },
      ["oauth2.token_request.response_map.scope"],
    ],
  ])("%s", async (_name, patch, fields) => {
    await using deployment = await created();
    const { runtime } = deployment;
    const before = await runtime.providers.get(operator(), "idp");
    const refused = await refusal(runtime.providers.update(operator(), "idp", patch));

    expect([refused.status, refused.name]).toEqual([400, "malformed_request"]);
    expect(refused.fieldErrors?.map(({ field }) => field)).toEqual(fields as never);
    expect(await runtime.providers.get(operator(), "idp")).toEqual(before);
  });

  test("if it overrides a request of a preset without an endpoint", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.providers.create(operator(), {
      id: "idp",
      provider_id: "known",
      oauth2: { client_id: "C" },
    });
    const patch = { oauth2: { token_request: { auth_method: "client_secret_post" } } } as const;

    const refused = await refusal(runtime.providers.update(operator(), "idp", patch));
    expect(refused.fieldErrors?.map(({ field }) => field)).toEqual(["oauth2.token_request.endpoint"]);
  });

  test("of a provider that does not exist", async () => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.providers.update(operator(), "none", {}))).status).toBe(404);
  });
});
