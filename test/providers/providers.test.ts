// Creates, shows and lists auth provider records, which never contain the client's secret.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { refusal, times } from "../connections/executing";
import { agent, deploy, idpRecord, operator } from "../tools/deployment";

const AUDITED = query<{ action: string; actor: string; target: string; project_id: string }>(
  "SELECT action, actor, target, project_id FROM audit WHERE action LIKE 'provider.%' ORDER BY number",
);
const STORED = query<{ oauth2: string }>("SELECT oauth2 FROM auth_providers");
const SECRET = "planted-client-secret";

function record(more: object = {}) {
  return { ...idpRecord({ url: "https://idp.example" }), ...more };
}

describe("a provider is created", () => {
  test("with defaults for missing fields, and shown as stored", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const created = await runtime.providers.create(operator(), record());

    expect(created).toEqual({
      id: "idp",
      type: "oauth2",
      status: "active",
      binding: { id: "default", type: "project" },
      created_at: created.created_at,
      updated_at: created.created_at,
      oauth2: {
        client_id: "client",
        client_secret: { binding: "project", editable: true, exists: true },
        redirect_uri: created.oauth2?.redirect_uri ?? "",
        authorize_request: { endpoint: "https://idp.example/authorize" },
        token_request: { endpoint: "https://idp.example/token" },
        refresh_request: { endpoint: "https://idp.example/token" },
      },
    });
    expect(created.oauth2?.redirect_uri).toMatch(
      /^http:\/\/127\.0\.0\.1:9099\/api\/v1\/oauth\/[\w-]{24}\/callback$/,
    );
    expect(await runtime.providers.get(operator(), "idp")).toEqual(created);
    expect((await runtime.providers.list(operator())).items).toEqual([created]);
  });

  test("with every field of the request", async () => {
    await using deployment = await deploy();
    const given = {
      id: "My.idp_1-x",
      provider_id: "known",
      description: "ours",
      status: "inactive",
      external_id: "fixed",
    } as const;
    const oauth2 = {
      client_id: "C",
      scope_delimiter: ",",
      pkce: { enabled: false },
      user_info_request: {
        endpoint: "https://idp.example/me",
        triggers: { on_token_grant: true, on_token_refresh: false },
      },
    } as const;
    const created = await deployment.runtime.providers.create(operator(), { ...given, oauth2 });
    const { external_id, ...shown } = given;

    expect(created).toMatchObject({ ...shown, oauth2 });
    expect(created.oauth2?.redirect_uri).toEndWith(`/oauth/${external_id}/callback`);
    expect(created.oauth2?.client_secret.exists).toBe(false);
  });

  test("and its secret is stored only in sealed form", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const { oauth2 } = record();
    const created = await runtime.providers.create(
      operator(),
      record({ oauth2: { ...oauth2, client_secret: SECRET } }),
    );
    const provider = await runtime.providers.find("default", "idp");

    expect(JSON.stringify([created, provider, deployment.logLines])).not.toContain(SECRET);
    expect(JSON.stringify(await runtime.core.store.all(STORED))).not.toContain(SECRET);
    expect(provider && (await runtime.providers.clientKeys(provider)).secret).toBe(SECRET);
  });

  test("without unknown fields, which are neither stored nor shown", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const surplus = { private_key: SECRET, nested: { x: SECRET } };
    const { oauth2 } = record();
    const token_request = { ...oauth2.token_request, ...surplus };
    const created = await runtime.providers.create(
      operator(),
      record({ ...surplus, oauth2: { ...oauth2, ...surplus, token_request } }),
    );
    const patch = { oauth2: { ...surplus, pkce: { enabled: true, ...surplus } } };
    const updated = await runtime.providers.update(operator(), "idp", patch);

    expect(JSON.stringify([created, updated, await runtime.core.store.all(STORED)])).not.toContain(SECRET);
  });

  test("once: the same id is refused and the first record is unchanged", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const first = await runtime.providers.create(operator(), record());
    const second = await refusal(runtime.providers.create(operator(), record({ description: "second" })));

    expect([second.status, second.name]).toEqual([400, "already_exists"]);
    expect(await runtime.providers.get(operator(), "idp")).toEqual(first);
  });

  test("once, when two processes receive ten requests at the same time", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const other = await deployment.another();
    const outcomes = await times(10, (index) =>
      (index % 2 === 0 ? runtime : other).providers.create(operator(), record()).then(
        () => "created",
        ({ name }) => name,
      ),
    );

    expect(outcomes.toSorted()).toEqual([...Array<string>(9).fill("already_exists"), "created"]);
  });

  test("with an external_id that is unique in all projects", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "second");
    await runtime.providers.create(operator(), record({ external_id: "mine" }));

    const taken = await refusal(
      runtime.providers.create(operator("second"), record({ external_id: "mine" })),
    );
    expect([taken.status, taken.name, taken.message]).toEqual([
      400,
      "already_exists",
      "This external_id is already in use.",
    ]);
  });

  test.each<[string, object]>([
    ["a custom one without endpoints", { oauth2: { client_id: "C" } }],
    [
      "one of an unknown well-known provider without endpoints",
      { provider_id: "x", oauth2: { client_id: "C" } },
    ],
    [
      "one whose endpoint is none",
      { oauth2: { ...record().oauth2, token_request: { endpoint: "nowhere" } } },
    ],
  ])("not as %s: nothing is stored or audited", async (_name, more) => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const refused = await refusal(runtime.providers.create(operator(), record(more)));

    expect([refused.status, refused.name]).toEqual([400, "malformed_request"]);
    expect((await runtime.providers.list(operator())).items).toEqual([]);
    expect(await runtime.core.store.all(AUDITED)).toEqual([]);
  });
});

test("every change has its audit row", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  await runtime.providers.create(agent(null, "default", "key_1"), record());
  await runtime.providers.update(operator(), "idp", { description: "ours" });
  await runtime.providers.delete(operator(), "idp");

  const row = { target: "idp", project_id: "default" };
  expect(await runtime.core.store.all(AUDITED)).toEqual([
    { ...row, action: "provider.create", actor: "key:key_1" },
    { ...row, action: "provider.update", actor: "operator" },
    { ...row, action: "provider.delete", actor: "operator" },
  ]);
});

describe("a provider of another project", () => {
  test.each<[string, (deployment: Awaited<ReturnType<typeof deploy>>) => Promise<unknown>]>([
    ["get", async ({ runtime }) => runtime.providers.get(operator("second"), "idp")],
    ["update", ({ runtime }) => runtime.providers.update(operator("second"), "idp", { status: "inactive" })],
    ["delete", ({ runtime }) => runtime.providers.delete(operator("second"), "idp")],
  ])("is not found by %s and is unchanged", async (_name, act) => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "second");
    const created = await runtime.providers.create(operator(), record());

    expect((await refusal(act(deployment))).status).toBe(404);
    expect(await runtime.providers.get(operator(), "idp")).toEqual(created);
    expect((await runtime.providers.list(operator("second"))).items).toEqual([]);
  });
});

test("providers are listed in the order of their creation", async () => {
  await using deployment = await deploy();
  const { runtime, clock } = deployment;
  for (const id of ["z", "a", "m"]) {
    await runtime.providers.create(operator(), record({ id }));
    clock.move(1000);
  }

  const page = await runtime.providers.list(operator());
  expect(page.items.map(({ id }) => id)).toEqual(["z", "a", "m"]);
  expect(page).toMatchObject({ total_count: 3, offset: 0, limit: 3, page_count: 3 });
});
