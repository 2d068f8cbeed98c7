// Attempts of an administrator's key to have secrets and tokens sent to another origin: the addresses of a provider, of a
// model's server and of a plugin, each way of changing them, and grants that are under way meanwhile.
import { afterAll, describe, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { FormerProviders } from "../../src/connections/former-providers";
import { OpenIdIssuer } from "../../src/identity";
import type { ProviderPreset } from "../../src/providers";
import { get, query, run, touch } from "../../src/store";
import { recordOf, SECRET } from "../authorization/providers/record";
import { type ProviderSite, startProviderSite } from "../authorization/providers/site";
import { at } from "../support/api";
import { startTokenEndpoint, type TokenEndpoint } from "../support/token-endpoint";
import { deploy, operator } from "../tools/deployment";
import { printFigure } from "./figure";

const PROVIDER = "/v1/admin/auth_providers/idp";
const REVOKE = {
  endpoint: "/revoke",
  auth_method: "client_secret_post",
  params: { token: "{{refresh_token}}" },
};
const GRANT = { body: { access_token: "T-old", refresh_token: "R-old", expires_in: 3600 } };

let attempts = 0;
let arrived = 0;
afterAll(() => printFigure("token to a foreign origin", `${attempts} attempts, ${arrived} secrets arrived`));

/** Alice is connected at a provider with every kind of request; the collector is another origin. */
async function connected(oauth2: object = {}) {
  const site = await startProviderSite();
  const collector = startTokenEndpoint();
  collector.otherwise({ body: { access_token: "T-new", sub: "U1" } });
  const created = await site.addProvider(
    recordOf(site.deployment.idp.url, {
      oauth2: {
        revoke_request: REVOKE,
        user_info_request: {},
        token_introspection_request: { auth_method: "client_secret_basic" },
        ...oauth2,
      },
    }),
  );
  expect(created.status).toBe(201);
  site.script({ token: GRANT, refresh: GRANT, "user-info": { body: { sub: "U1" } }, revoke: { body: {} } });
  expect((await site.consent("alice")).state.body).toMatchObject({ status: "completed" });
  return {
    site,
    collector,
    [Symbol.asyncDispose]: async () => {
      attempts++;
      const received = JSON.stringify(
        collector.requests.map(({ address, body, headers }) => [address, body, [...headers]]),
      );
      arrived += [SECRET, "-old", encodeURIComponent(SECRET), btoa(`cl%3Aient:${SECRET}`)].filter((secret) =>
        received.includes(secret),
      ).length;
      await site[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the provider got this many revocations: a worker sends them. */
async function revoked(site: ProviderSite, count: number): Promise<string[]> {
  while (site.sent("revoke").length < count) await Bun.sleep(20);
  return site.sent("revoke").map(({ params }) => `${params["token"]} ${params["client_secret"]}`);
}

const REQUESTS = [
  "token_request",
  "refresh_request",
  "user_info_request",
  "token_introspection_request",
  "revoke_request",
] as const;

describe("a provider's address at another origin", () => {
  test.each(REQUESTS)("%s: needs the client's secret in the same request", async (name) => {
    await using stage = await connected();
    const { site, collector } = stage;
    const before = (await site.admin.get(PROVIDER)).body;
    const patch = { oauth2: { [name]: { endpoint: `${collector.url}/x` } } };

    const refused = await site.admin.patch(PROVIDER, patch);

    expect(refused.status).toBe(400);
    expect(at(refused.body, "field_errors")).toMatchObject([
      { field: `oauth2.${name}.endpoint`, rule: "origin" },
      { field: "oauth2.client_secret", rule: "required" },
    ]);
    expect(refused.text).not.toContain(collector.url);
    expect((await site.admin.get(PROVIDER)).body).toEqual(before);
    expect(await site.connections()).toHaveLength(1);
    site.deployment.clock.move(2 * 3_600_000);
    await site.execute("alice");
    expect(collector.requests).toEqual([]);
  });

  test.each(REQUESTS)(
    "%s: with the secret the connections end, and are revoked at the old origin",
    async (name) => {
      await using stage = await connected();
      const { site, collector } = stage;
      const oauth2 = { [name]: { endpoint: `${collector.url}/x` }, client_secret: "given-again" };

      expect((await site.admin.patch(PROVIDER, { oauth2 })).status).toBe(200);

      expect(await site.connections()).toEqual([]);
      expect((await site.execute("alice")).status).toBe(403);
      expect(await revoked(site, 1)).toEqual([`R-old ${SECRET}`]);
      expect(collector.requests).toEqual([]);
      const { items } = (await site.admin.get("/v1/admin/audit?action=provider.update")).body as {
        items: { details: object }[];
      };
      const [old, foreign] = [site.deployment.idp.url, collector.url];
      expect(items[0]?.details).toMatchObject({
        old_origins: [old],
        new_origins: expect.arrayContaining([foreign]),
      });
    },
  );

  test("by another port, scheme or host", async () => {
    await using stage = await connected();
    const { port } = new URL(stage.site.deployment.idp.url);
    for (const endpoint of [
      `http://127.0.0.1:${Number(port) - 1}/refresh`,
      `https://127.0.0.1:${port}/refresh`,
      `http://localhost:${port}/refresh`,
      `http://127.0.0.1.localhost:${port}/refresh`,
    ]) {
      const { status } = await stage.site.admin.patch(PROVIDER, {
        oauth2: { refresh_request: { endpoint } },
      });
      expect([endpoint, status]).toEqual([endpoint, 400]);
    }
  });

  test("another path at the same origin changes nothing else", async () => {
    await using stage = await connected();
    const endpoint = `${stage.site.deployment.idp.url}/refresh/v2`;

    const { status } = await stage.site.admin.patch(PROVIDER, { oauth2: { refresh_request: { endpoint } } });

    expect([status, (await stage.site.connections()).length]).toEqual([200, 1]);
  });

  test("the authorize endpoint receives no secret and may be anywhere", async () => {
    await using stage = await connected();
    const endpoint = `${stage.collector.url}/authorize`;

    const { status } = await stage.site.admin.patch(PROVIDER, {
      oauth2: { authorize_request: { endpoint } },
    });

    expect([status, (await stage.site.connections()).length]).toEqual([200, 1]);
  });

  test("the private key must be given again too", async () => {
    const key = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const private_key = JSON.stringify(await crypto.subtle.exportKey("jwk", key.privateKey));
    await using stage = await connected({ private_key });
    const token_request = { endpoint: `${stage.collector.url}/token` };

    const refused = await stage.site.admin.patch(PROVIDER, {
      oauth2: { token_request, client_secret: "again" },
    });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain("oauth2.private_key");
    const both = { token_request, client_secret: "again", private_key };
    expect((await stage.site.admin.patch(PROVIDER, { oauth2: both })).status).toBe(200);
  });

  test("of a public client: there is no secret to give, but the connections end", async () => {
    await using stage = await connected({ client_secret: null, token_introspection_request: null });
    const refresh_request = { endpoint: `${stage.collector.url}/x` };

    expect((await stage.site.admin.patch(PROVIDER, { oauth2: { refresh_request } })).status).toBe(200);

    expect(await stage.site.connections()).toEqual([]);
    await revoked(stage.site, 1);
    expect(stage.collector.requests).toEqual([]);
  });

  test("by another client id in the host name", async () => {
    await using stage = await connected();
    const { port } = new URL(stage.site.deployment.idp.url);
    const tenant = {
      client_id: "one",
      token_request: { endpoint: `http://{{client_id}}.localhost:${port}/token` },
    };
    expect(
      (await stage.site.admin.patch(PROVIDER, { oauth2: { ...tenant, client_secret: "again" } })).status,
    ).toBe(200);

    const refused = await stage.site.admin.patch(PROVIDER, { oauth2: { client_id: "two" } });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain("oauth2.token_request.endpoint");
  });

  test("by another well-known provider", async () => {
    await using stage = await connected();

    const refused = await stage.site.admin.patch(PROVIDER, {
      provider_id: "known",
      oauth2: { refresh_request: { endpoint: "https://known.invalid/token" } },
    });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain("oauth2.client_secret");
  });

  test("by a manifest, which changes nothing at all", async () => {
    await using stage = await connected();
    const { site, collector } = stage;
    const exported = (await site.admin.get("/v1/admin/manifest")).body;
    const oauth2 = {
      ...(at(exported, "providers.0.oauth2") as object),
      revoke_request: { endpoint: collector.url },
    };
    const manifest = {
      gateways: [{ name: "first", slug: "first", auth_type: "arcade_header" }],
      providers: [{ id: "idp", oauth2: { ...oauth2, client_secret_from: { env: "UNSET" } } }],
    };

    for (const path of ["/v1/admin/manifest", "/v1/admin/manifest?dry_run=true"]) {
      const refused = await site.admin.post(path, manifest);
      expect([refused.status, refused.text.includes("oauth2.client_secret")]).toEqual([400, true]);
    }
    expect((await site.deployment.runtime.gateways.list(operator(), { limit: 10, offset: 0 })).items).toEqual(
      [],
    );
    expect(await site.connections()).toHaveLength(1);
  });

  test("twice: secrets that were given for the first move do not follow the second", async () => {
    await using stage = await connected();
    await using second = startTokenEndpoint();
    const move = (url: string, more: object = {}) =>
      stage.site.admin.patch(PROVIDER, { oauth2: { refresh_request: { endpoint: `${url}/r` }, ...more } });

    expect((await move(stage.collector.url, { client_secret: "again" })).status).toBe(200);
    expect((await move(second.url)).status).toBe(400);
    // Back to where the record began: the token endpoint is still there.
    expect((await move(stage.site.deployment.idp.url)).status).toBe(200);
    expect((await move(stage.collector.url)).status).toBe(400);
  });

  test("that is stored without this check gets nothing, and says so", async () => {
    await using stage = await connected();
    const { site, collector } = stage;
    const { store } = site.deployment.runtime.core;
    await store.write(function* () {
      const row = yield* get(query<{ oauth2: string }>("SELECT oauth2 FROM auth_providers"));
      const oauth2 = JSON.parse(row?.oauth2 ?? "");
      oauth2.refresh_request.endpoint = `${collector.url}/refresh`;
      yield* run(query("UPDATE auth_providers SET oauth2 = ?"), JSON.stringify(oauth2));
      yield* touch("providers");
    });
    site.deployment.clock.move(2 * 3_600_000);

    await site.execute("alice");

    expect(collector.requests).toEqual([]);
    expect(site.deployment.logLines.join("\n")).toContain("were given for");
  });
});

describe("a grant that is under way while the addresses move", () => {
  test("a refreshed grant is revoked at the old origin", async () => {
    await using stage = await connected();
    const { site, collector } = stage;
    const [sent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    site.script({
      revoke: { body: {} },
      refresh: async () => {
        sent.resolve();
        await answer.promise;
        return { body: { access_token: "T2-old", refresh_token: "R2-old" } };
      },
    });
    site.deployment.clock.move(2 * 3_600_000);
    const call = site.execute("alice");
    await sent.promise;
    const oauth2 = { revoke_request: { endpoint: `${collector.url}/x` }, client_secret: "given-again" };
    expect((await site.admin.patch(PROVIDER, { oauth2 })).status).toBe(200);
    answer.resolve();
    await call;

    const tokens = (await revoked(site, 2)).map((text) => text.split(" ")[0]);
    expect(tokens.toSorted()).toEqual(["R-old", "R2-old"]);
    expect(collector.requests).toEqual([]);
  });

  test("an order that is waiting still goes to the old origin", async () => {
    await using stage = await connected();
    const { site, collector } = stage;
    site.script({ revoke: { status: 503, body: "down" } });
    const id = String(at((await site.connections())[0], "id"));
    await site.admin.delete(`/v1/admin/user_connections/${id}`);
    expect(site.sent("revoke")).toHaveLength(1);
    const oauth2 = { revoke_request: { endpoint: `${collector.url}/x` }, client_secret: "given-again" };
    await site.admin.patch(PROVIDER, { oauth2 });
    site.script({ revoke: { body: {} } });
    site.deployment.clock.move(3_600_000);
    site.deployment.runtime.connections.revocations.sendDueInBackground();

    expect(await revoked(site, 2)).toEqual([`R-old ${SECRET}`, `R-old ${SECRET}`]);
    expect(collector.requests).toEqual([]);
  });

  test("a deleted provider that is created again elsewhere does not get the late grant", async () => {
    await using stage = await connected();
    const { site, collector } = stage;
    const [sent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    site.script({
      refresh: async () => {
        sent.resolve();
        await answer.promise;
        return { body: { access_token: "T2-old", refresh_token: "R2-old" } };
      },
    });
    site.deployment.clock.move(2 * 3_600_000);
    const call = site.execute("alice");
    await sent.promise;
    await site.admin.delete(PROVIDER);
    const again = await site.addProvider(recordOf(collector.url, { oauth2: { revoke_request: REVOKE } }));
    expect(again.status).toBe(201);
    answer.resolve();
    await call;
    await site.deployment.runtime.connections.close();

    expect(collector.requests).toEqual([]);
  });
});

test("the discovery document of an issuer counts once: later requests use what was stored", async () => {
  await using site = await startProviderSite();
  await using collector: TokenEndpoint = startTokenEndpoint();
  const { idp } = site.deployment;
  let moved = false;
  idp.otherwise(({ address }) => {
    if (!address.startsWith("/.well-known/"))
      return { body: { access_token: "T-old", refresh_token: "R-old" } };
    const at = moved ? collector.url : idp.url;
    const endpoints = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` };
    return { body: { issuer: idp.url, ...endpoints, userinfo_endpoint: `${at}/me` } };
  });
  const oauth2 = { client_id: "c", client_secret: SECRET, issuer: idp.url };
  expect((await site.addProvider({ id: "idp", oauth2 })).status).toBe(201);
  moved = true;
  await site.deployment.give("alice");
  site.deployment.clock.move(2 * 3_600_000);
  await site.execute("alice");
  attempts++;

  expect(idp.requests.filter(({ address }) => address === "/token")).toHaveLength(1);
  expect(collector.requests).toEqual([]);
});

test("the metadata of the sign-in server counts until a restart: the client's secret goes to no other server", async () => {
  await using deployment = await deploy();
  await using collector = startTokenEndpoint();
  const { idp, runtime, clock } = deployment;
  let place = idp.url;
  idp.otherwise(({ address }) => {
    if (address === "/token") return { body: {} };
    const endpoints = { token_endpoint: `${place}/token`, jwks_uri: `${idp.url}/keys` };
    return { body: { issuer: idp.url, authorization_endpoint: `${idp.url}/authorize`, ...endpoints } };
  });
  const settings = { ...runtime.core.settings, "auth.url": idp.url };
  const issuer = new OpenIdIssuer({ ...runtime.core, settings });
  const exchange = async () => {
    const server = await issuer.discover();
    return oauth.refreshTokenGrantRequest(
      server,
      { client_id: "c" },
      oauth.ClientSecretPost(SECRET),
      "R-old",
      issuer.options(),
    );
  };
  expect((await exchange()).status).toBe(200);
  place = collector.url;
  clock.move(3_600_000);
  attempts++;

  await expect(exchange()).rejects.toThrow("were given for");

  expect(collector.requests).toEqual([]);
  expect(deployment.logLines.join("\n")).toContain("names another server");
});

test("a connection whose tokens were given for other addresses is not refreshed", async () => {
  await using stage = await connected();
  const { site } = stage;
  await site.deployment.runtime.core.store.write(function* () {
    yield* run(query("UPDATE connections SET origins_id = 'of other addresses'"));
    yield* touch("connections");
  });
  site.deployment.clock.move(2 * 3_600_000);

  await site.execute("alice");

  expect(site.sent("refresh")).toEqual([]);
});

test("records of an earlier version belong to the addresses that they have", async () => {
  await using stage = await connected();
  const { site, collector } = stage;
  const openai = { base_url: `${site.deployment.idp.url}/v1`, api_key: "KEY-old" };
  await site.admin.post("/v1/admin/model_entries", { id: "m", openai });
  await site.deployment.runtime.core.store.write(function* () {
    for (const table of ["auth_providers", "connections"])
      yield* run(query(`UPDATE ${table} SET origins_id = ''`));
    for (const table of ["auth_providers", "models", "plugins"])
      yield* run(query(`UPDATE ${table} SET origins = NULL`));
    for (const kind of ["providers", "connections", "models"] as const) yield* touch(kind);
  });
  site.deployment.clock.move(2 * 3_600_000);

  expect((await site.execute("alice")).status).toBe(200);
  expect(site.sent("refresh")).toHaveLength(1);
  const oauth2 = { refresh_request: { endpoint: `${collector.url}/refresh` } };
  expect((await site.admin.patch(PROVIDER, { oauth2 })).status).toBe(400);
  const base_url = `${collector.url}/v1`;
  expect((await site.admin.patch("/v1/admin/model_entries/m", { base_url })).status).toBe(400);
  expect((await site.admin.patch("/v1/admin/model_entries/m", { base_url: openai.base_url })).status).toBe(
    200,
  );
  expect((await site.admin.patch(PROVIDER, { oauth2: { ...oauth2, client_secret: "again" } })).status).toBe(
    200,
  );
  expect(await revoked(site, 1)).toEqual([`R-old ${SECRET}`]);
});

test("a former provider is kept until its grants are revoked, and ten minutes for late ones", async () => {
  await using stage = await connected();
  const { site, collector } = stage;
  const { clock, runtime } = site.deployment;
  const { store } = runtime.core;
  const former = new FormerProviders(runtime.core);
  const kept = async () => (await store.all(query("SELECT id FROM former_providers"))).length;
  const oauth2 = { refresh_request: { endpoint: `${collector.url}/x` }, client_secret: "given-again" };
  site.script({ revoke: { status: 503, body: "down" } });
  await site.admin.patch(PROVIDER, { oauth2 });
  await former.removeUnused();
  clock.move(11 * 60_000);
  await former.removeUnused();
  expect(await kept()).toBe(1);

  site.script({ revoke: { body: {} } });
  clock.move(3_600_000);
  while ((await store.all(query("SELECT id FROM revocations"))).length > 0) {
    runtime.connections.revocations.sendDueInBackground();
    await Bun.sleep(20);
  }
  await former.removeUnused();
  clock.move(8 * 60_000);
  await former.removeUnused();
  expect(await kept()).toBe(1);
  clock.move(3 * 60_000);
  await former.removeUnused();
  expect(await kept()).toBe(0);
});

test("the well-known providers: no address of a preset is outside of what its secret is given for", async () => {
  await using site = await startProviderSite();
  const { runtime } = site.deployment;
  const preset: Pick<ProviderPreset, "id"> = { id: "known" };
  await site.addProvider({ id: "k", provider_id: preset.id, oauth2: { client_id: "c", client_secret: "s" } });

  const { origins, oauth2 } = (await runtime.providers.find(operator().projectId ?? "", "k")) ?? {};

  expect(origins).toEqual(["https://known.invalid"]);
  expect(oauth2?.token.endpoint).toStartWith("https://known.invalid/");
});

describe("a model's server at another origin", () => {
  const MODEL = "/v1/admin/model_entries/m";

  test("needs the key in the same request", async () => {
    await using site = await startProviderSite();
    await using collector = startTokenEndpoint();
    const { idp } = site.deployment;
    const answer = { id: "1", object: "chat.completion", created: 1, model: "x", choices: [] };
    idp.otherwise({ body: answer });
    collector.otherwise({ body: answer });
    const ask = () =>
      site.agent.post("/v1/chat/completions", { model: "m/x", messages: [{ role: "user", content: "hi" }] });
    const created = await site.admin.post("/v1/admin/model_entries", {
      id: "m",
      openai: { base_url: `${idp.url}/v1`, api_key: "KEY-old" },
    });
    expect(created.status).toBe(201);
    attempts++;

    const refused = await site.admin.patch(MODEL, { base_url: `${collector.url}/v1` });

    expect(refused.status).toBe(400);
    expect(at(refused.body, "field_errors")).toMatchObject([
      { field: "base_url", rule: "origin" },
      { field: "api_key", rule: "required" },
    ]);
    await ask();
    expect(collector.requests).toEqual([]);
    expect(idp.requests.at(-1)?.headers.get("authorization")).toBe("Bearer KEY-old");
    expect((await site.admin.patch(MODEL, { base_url: `${idp.url}/v2` })).status).toBe(200);

    const moved = await site.admin.patch(MODEL, { base_url: `${collector.url}/v1`, api_key: "KEY-new" });

    expect(moved.status).toBe(200);
    await ask();
    expect(collector.requests.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer KEY-new"]);
    const [entry] = at((await site.admin.get("/v1/admin/audit?action=model.update")).body, "items") as [
      object,
    ];
    expect(entry).toMatchObject({
      details: { old_origins: [idp.url], new_origins: [collector.url] },
    });
  });

  test("may be anywhere once the key is removed", async () => {
    await using site = await startProviderSite();
    await using collector = startTokenEndpoint();
    const openai = { base_url: `${site.deployment.idp.url}/v1`, api_key: "KEY-old" };
    await site.admin.post("/v1/admin/model_entries", { id: "m", openai });

    expect((await site.admin.patch(MODEL, { base_url: `${collector.url}/v1`, api_key: "" })).status).toBe(
      200,
    );

    await site.agent.post("/v1/chat/completions", {
      model: "m/x",
      messages: [{ role: "user", content: "hi" }],
    });
    expect(collector.requests.map(({ headers }) => headers.get("authorization"))).toEqual([null]);
  });
});

describe("a worker at another origin", () => {
  const RECORD = "/v1/workers/w";
  const common = { timeout: 5, retry: 0 };

  test.each([
    [
      "an MCP server",
      { headers: { "X-Api-Key": "${secret:KEY}" }, secrets: { KEY: "KEY-old" } },
      { secrets: { KEY: "KEY-new" } },
      "mcp",
      "mcp.secrets.KEY",
    ],
    ["an HTTP worker", { secret: "KEY-old" }, { secret: "KEY-new" }, "http", "http.secret"],
  ])("%s: needs every secret in the same request", async (_, settings, renewed, type, field) => {
    await using site = await startProviderSite();
    await using collector = startTokenEndpoint();
    const { idp } = site.deployment;
    const worker = { id: "w", [type]: { uri: `${idp.url}/w`, ...common, ...settings } };
    expect((await site.admin.post("/v1/workers", worker)).status).toBe(201);
    const moved = { uri: `${collector.url}/w` };
    attempts++;

    const refused = await site.admin.patch(RECORD, { [type]: moved });
    const {
      secrets: _secrets,
      secret: __,
      ...visible
    } = { secrets: undefined, secret: undefined, ...settings };
    const applied = await site.admin.post("/v1/admin/manifest", {
      workers: [
        {
          id: "w",
          [type]: {
            ...moved,
            ...common,
            ...visible,
            ...(type === "http" ? { secret_from: { env: "X" } } : {}),
          },
        },
      ],
    });

    expect([refused.status, applied.status]).toEqual([400, 400]);
    for (const { text } of [refused, applied]) expect(text).toContain(`${field} must be given again`);
    await site.admin.post(`${RECORD}/refresh`, {});
    await site.admin.get(`${RECORD}/health`);
    expect(collector.requests).toEqual([]);
    expect((await site.admin.patch(RECORD, { [type]: { uri: `${idp.url}/v2` } })).status).toBe(200);
    expect((await site.admin.patch(RECORD, { [type]: { ...moved, ...renewed } })).status).toBe(200);
    const sent = JSON.stringify(collector.requests.map(({ headers, body }) => [[...headers], body]));
    expect(collector.requests.length).toBeGreaterThan(0);
    expect(sent).not.toContain("KEY-old");
    arrived += sent.includes("KEY-old") ? 1 : 0;
    const { body } = await site.admin.get("/v1/admin/audit?action=worker.update");
    expect(at(body, "items.0")).toMatchObject({
      details: { old_origins: [idp.url], new_origins: [collector.url] },
    });
  });
});

describe("a plugin's endpoint at another origin", () => {
  const url = "https://policy.example";
  const signing_secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const endpoint = { failure_mode: "fail_closed", phase: "before", priority: 0 };

  test.each(["access", "pre", "post"] as const)(
    "%s: needs every credential in the same request",
    async (point) => {
      await using site = await startProviderSite();
      const created = await site.admin.post("/v1/plugins", {
        name: "policy",
        plugin_type: "webhook",
        webhook_config: {
          endpoints: { [point]: { ...endpoint, url: `${url}/${point}` } },
          auth: { type: "bearer", token: "TOKEN-old" },
          signing_secret,
        },
      });
      expect(created.status).toBe(201);
      const path = `/v1/plugins/${String(at(created.body, "id"))}`;
      const move = (more: object) =>
        site.admin.patch(path, {
          webhook_config: { endpoints: { [point]: { url: `https://collector.example/${point}` } }, ...more },
        });
      attempts++;

      const refused = await move({});

      expect(refused.status).toBe(400);
      expect(refused.text).toContain(`webhook_config.endpoints.${point}.url`);
      expect(refused.text).toContain("webhook_config.auth.token");
      expect(refused.text).toContain("webhook_config.signing_secret");
      expect((await move({ auth: { token: "TOKEN-new" } })).status).toBe(400);
      expect((await move({ auth: { type: "none" }, signing_secret })).status).toBe(400);
      expect((await move({ auth: { token: "TOKEN-new" }, signing_secret })).status).toBe(200);
      const [entry] = at((await site.admin.get("/v1/admin/audit?action=plugin.update")).body, "items") as [
        object,
      ];
      expect(entry).toMatchObject({
        details: { old_origins: [url], new_origins: ["https://collector.example"] },
      });
    },
  );
});
