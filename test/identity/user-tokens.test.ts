// User tokens over HTTP: what they allow and what they do not.
import { describe, expect, test } from "bun:test";
import { operations } from "../../server/operations";
import { issued } from "../interop/oidc/forge";
import { tokensOf } from "../interop/oidc/sign-in";
import { addOther, linkChat, type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { api, at, call } from "../support/api";

const WHO_AM_I = { tool_name: "Chat.WhoAmI" };

/** Requests of a user, by operation; `id` is one of alice's authorizations. */
const REQUESTS: [string, string, (id: string) => string, object | undefined][] = [
  ["the list of tools", "GET", () => "/v1/tools", undefined],
  ["one tool", "GET", () => "/v1/tools/Chat.WhoAmI", undefined],
  ["requirements", "POST", () => "/v1/tools/requirements", { tool_names: ["Chat.WhoAmI"] }],
  ["a consent for a tool", "POST", () => "/v1/tools/authorize", WHO_AM_I],
  [
    "a consent for scopes",
    "POST",
    () => "/v1/auth/authorize",
    { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } } },
  ],
  ["a tool run", "POST", () => "/v1/tools/execute", WHO_AM_I],
  ["the state of a consent", "GET", (id) => `/v1/auth/status?id=${id}`, undefined],
];

describe("with a token of alice, issued by the certified provider", () => {
  test("all operations for users work, with and without Bearer", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const id = await linkChat(site, "alice");
    const { access_token } = await tokensOf(provider, "alice", audience);

    for (const authorization of [access_token, `Bearer ${access_token}`, `bearer  ${access_token}`]) {
      for (const [name, method, path, body] of REQUESTS) {
        const answer = await call(site.url, { method, path: path(id), body, headers: { authorization } });
        expect([name, answer.status]).toEqual([name, 200]);
        expect(answer.text).not.toContain(access_token);
      }
    }
    const executed = await api(site.url, access_token).post("/v1/tools/execute", WHO_AM_I);
    expect(at(executed.body, "output.value.username")).toBe("alice");
    expect(site.logLines.join("\n")).not.toContain(access_token);
    expect(site.logLines.join("\n")).not.toContain(access_token.split(".")[2] ?? "");
  });

  test("user_id may name the user of the token; another one is 403 everywhere", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    await linkChat(site, "alice");
    await linkChat(site, "bob");
    const alice = api(site.url, issued(provider, audience));

    for (const [name, method, path, body] of REQUESTS.filter(([, , , content]) => content !== undefined)) {
      const as = async (user_id: string) =>
        (
          await call(site.url, {
            method,
            path: path(""),
            body: { ...body, user_id },
            key: issued(provider, audience),
          })
        ).status;
      expect([name, await as("alice")]).toEqual([name, 200]);
      expect([name, await as("bob")]).toEqual([name, 403]);
      expect([name, await as("Alice")]).toEqual([name, 403]);
    }
    const executed = await alice.post("/v1/tools/execute", { ...WHO_AM_I, user_id: "alice" });
    expect(at(executed.body, "output.value.username")).toBe("alice");
  });

  test("a user without a connection cannot use that of another user [fault: token-of-another-user]", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    await linkChat(site, "bob");
    const key = await site.key("run");
    const platformSaw = site.chat.requests.length;

    const alice = issued(provider, audience);
    const asked = await Promise.all([
      call(site.url, execute(alice)),
      call(site.url, execute(alice, "bob")),
      call(site.url, execute(key, "alice")),
      call(site.url, execute(key)),
      call(site.url, execute(key, "")),
    ]);

    expect(asked.map(({ status, body }) => [status, at(body, "name")])).toEqual([
      [403, "tool_requirements_not_met"],
      [403, "forbidden"],
      [403, "tool_requirements_not_met"],
      [400, "malformed_request"],
      [400, "malformed_request"],
    ]);
    expect(site.chat.requests.length).toBe(platformSaw);
  });

  test("the consent of another user is not found", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const id = await linkChat(site, "bob");
    const alice = api(site.url, issued(provider, audience));

    const [foreign, unknown] = [
      await alice.get(`/v1/auth/status?id=${id}`),
      await alice.get("/v1/auth/status?id=ar_x"),
    ];
    expect([foreign.status, foreign.body]).toEqual([400, unknown.body]);
  });

  test("every administrative operation is 403 and changes nothing", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const key = issued(provider, audience);
    const administration = operations.filter(
      ({ credential }) => credential !== "public" && !credential.includes("run"),
    );
    const before = await api(site.url, await site.key("admin")).get("/v1/admin/auth_providers");

    expect(administration.length).toBeGreaterThan(9);
    for (const { id, method, path, body } of administration) {
      const content = body === undefined ? {} : { body: {} };
      const answer = await call(site.url, {
        method,
        path: path.replaceAll(/\{\w+\}/g, "slack"),
        key,
        ...content,
      });
      expect([id, answer.status]).toEqual([id, 403]);
    }
    const after = await api(site.url, await site.key("admin")).get("/v1/admin/auth_providers");
    expect(after.body).toEqual(before.body);
  });
});

describe("the project of a token", () => {
  async function projectSeen({ site }: OpenIdSite, key: string, path = "/v1/tools/execute") {
    const { status, body } = await call(site.url, { method: "POST", path, key, body: WHO_AM_I });
    return [status, at(body, "output.value.username") ?? at(body, "name")];
  }

  test("is the one with its audience; that of the project default is the public address", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const other = await addOther(deployment);
    await linkChat(site, "alice");
    const token = (aud: unknown): string => issued(provider, aud);

    expect(await projectSeen(deployment, token(audience))).toEqual([200, "alice"]);
    expect(await projectSeen(deployment, token([audience, "https://elsewhere.example"]))).toEqual([
      200,
      "alice",
    ]);
    expect(await projectSeen(deployment, token(["https://elsewhere.example", audience]))).toEqual([
      200,
      "alice",
    ]);
    // alice has no connections in the other project.
    expect(await projectSeen(deployment, token(other))).toEqual([403, "tool_requirements_not_met"]);
  });

  test.each<[string, (audience: string, other: string) => unknown]>([
    ["names none", () => "https://elsewhere.example"],
    ["is the project's id", () => "default"],
    ["has a slash more", (audience) => `${audience}/`],
    ["is a part of it", (audience) => audience.slice(0, -1)],
    ["is empty", () => ""],
    ["names several", (audience, other) => [audience, other]],
    ["contains what is not text", (audience) => [[audience], { audience }]],
  ])("does not exist if the audience %s: 401", async (_name, audienceOf) => {
    await using deployment = await startOpenIdSite();
    const other = await addOther(deployment);
    const token = issued(deployment.provider, audienceOf(deployment.audience, other));

    expect(await projectSeen(deployment, token)).toEqual([401, "invalid_authorization"]);
  });

  test("is ambiguous if two projects have the audience: 401", async () => {
    await using deployment = await startOpenIdSite();
    await addOther(deployment, deployment.audience);

    const token = issued(deployment.provider, deployment.audience);
    expect(await projectSeen(deployment, token)).toEqual([401, "invalid_authorization"]);
  });

  test("is found among more than a thousand projects, by tokens and by keys", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider } = deployment;
    const { identity } = site.runtime;
    const operator = await identity.operator("default");
    const names = Array.from({ length: 1000 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => identity.createProject(operator, name, name)));
    const other = await addOther(deployment);

    expect(await projectSeen(deployment, issued(provider, other))).toEqual([
      403,
      "tool_requirements_not_met",
    ]);
    const { body } = await api(site.url, await site.key("read", undefined, "other")).get(
      "/v1/admin/projects",
    );
    expect(at(body, "items.0.id")).toBe("other");
  });

  test("cannot be one without an audience", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider } = deployment;
    await site.runtime.identity.createProject(
      await site.runtime.identity.operator("default"),
      "bare",
      "Bare",
    );

    for (const aud of ["bare", "", "null", "undefined"]) {
      expect(await projectSeen(deployment, issued(provider, aud))).toEqual([401, "invalid_authorization"]);
    }
  });

  test("is the one in the path if the token names several; other paths are not found", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const other = await addOther(deployment);
    await linkChat(site, "alice");
    const path = (project: string): string => `/v1/orgs/default/projects/${project}/tools/execute`;

    const both = issued(provider, [other, audience]);
    expect(await projectSeen(deployment, both, path("default"))).toEqual([200, "alice"]);
    expect(await projectSeen(deployment, both, path("other"))).toEqual([403, "tool_requirements_not_met"]);
    const own = issued(provider, other);
    expect(await projectSeen(deployment, own, path("default"))).toEqual([404, "not_found"]);
    expect(await projectSeen(deployment, own, path("absent"))).toEqual([404, "not_found"]);
    expect(await projectSeen(deployment, both, path("absent"))).toEqual([401, "invalid_authorization"]);
  });
});

describe("the user of a token", () => {
  const people = {
    alice: { email: "alice@example.com", email_verified: true },
    mallory: { email: "alice@example.com", email_verified: false },
    bob: { email: "bob@example.com" },
  };

  async function userSeen(deployment: OpenIdSite, user: string) {
    const { access_token } = await tokensOf(deployment.provider, user, deployment.audience);
    const { status, body } = await api(deployment.site.url, access_token).post(
      "/v1/tools/authorize",
      WHO_AM_I,
    );
    return [status, at(body, "user_id") ?? at(body, "message")];
  }

  test("is the claim sub", async () => {
    await using deployment = await startOpenIdSite({ accounts: people });

    expect(await userSeen(deployment, "alice")).toEqual([200, "alice"]);
    expect(await userSeen(deployment, "mallory")).toEqual([200, "mallory"]);
  });

  test("is the claim email if configured, and only if the provider has verified it", async () => {
    await using deployment = await startOpenIdSite({
      accounts: people,
      environment: { RUNTIME_AUTH_USER_CLAIM: "email" },
    });
    const refused = "The user token has no (verified) claim email (auth.user_claim).";

    expect(await userSeen(deployment, "alice")).toEqual([200, "alice@example.com"]);
    for (const user of ["mallory", "bob", "carol"]) {
      expect(await userSeen(deployment, user)).toEqual([401, refused]);
    }
  });

  test.each(["false", "true", 1, null, undefined])(
    "is not an address whose verification is %p",
    async (mark) => {
      await using deployment = await startOpenIdSite({ environment: { RUNTIME_AUTH_USER_CLAIM: "email" } });
      const { site, provider, audience } = deployment;
      const claims = { email: "alice@example.com", email_verified: mark };

      expect((await api(site.url, issued(provider, audience, claims)).get("/v1/tools")).status).toBe(401);
    },
  );
});

function execute(key: string, user_id?: string) {
  return { method: "POST", path: "/v1/tools/execute", key, body: { ...WHO_AM_I, user_id } };
}
