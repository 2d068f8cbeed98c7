// Auth providers: every rule of their records.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at, call } from "../support/api";
import { startSite } from "../support/site";
import { databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const BASE = "/v1/admin/auth_providers";
const SECRET = "s3cr3t-client";
const OAUTH2 = {
  client_id: "client",
  authorize_request: { endpoint: "https://idp.example/authorize" },
  token_request: { endpoint: "https://idp.example/token" },
};

const admin = () => api(stage.site.url, stage.keys.admin);
const create = (body: unknown) => admin().post(BASE, body);

/** A new custom provider. */
async function custom(id: string, oauth2: object = {}, more: object = {}): Promise<void> {
  const answer = await create({ id, ...more, oauth2: { ...OAUTH2, ...oauth2 } });
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: answer.text });
}

describe("creating", () => {
  test("fills in the defaults and answers with the record", async () => {
    const { status, body } = await create({ id: "plain", oauth2: OAUTH2 });
    expect(status).toBe(201);
    const { created_at, updated_at, oauth2, ...rest } = body as Record<string, unknown>;
    expect(rest).toEqual({
      id: "plain",
      type: "oauth2",
      status: "active",
      binding: { id: "default", type: "project" },
    });
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(updated_at).toBe(created_at);
    const { redirect_uri, ...shown } = oauth2 as Record<string, unknown>;
    expect(shown).toEqual({
      ...OAUTH2,
      client_secret: { binding: "project", editable: true, exists: false },
    });
    expect(redirect_uri).toMatch(new RegExp(`^${stage.site.url}/api/v1/oauth/[A-Za-z0-9_-]{24}/callback$`));
  });

  test.each([
    [{}, { on_token_grant: false, on_token_refresh: false }],
    [{ on_token_grant: true }, { on_token_grant: true, on_token_refresh: false }],
    [{ on_token_refresh: true }, { on_token_grant: false, on_token_refresh: true }],
    [
      { on_token_grant: true, on_token_refresh: null },
      { on_token_grant: true, on_token_refresh: false },
    ],
  ])("takes the triggers %j; those that are left out are off", async (triggers, stored) => {
    const endpoint = "https://idp.example/x";
    const request = { endpoint: "https://idp.example/y" };
    const requests = {
      user_info_request: { endpoint, triggers },
      token_introspection_request: { endpoint, triggers },
    };
    const oauth2 = { client_id: "c", authorize_request: request, token_request: request, ...requests };
    const created = await create({
      id: `triggers-${Object.keys(triggers).join("-")}-${JSON.stringify(triggers).length}`,
      oauth2,
    });

    expect(created.status).toBe(201);
    expect(at(created.body, "oauth2.user_info_request.triggers")).toEqual(stored);
    expect(at(created.body, "oauth2.token_introspection_request.triggers")).toEqual(stored);
  });

  test("keeps everything that a record can hold", async () => {
    const request = {
      endpoint: "https://idp.example/{{client_id}}/x?y=1",
      method: "POST",
      auth_method: "client_secret_basic",
      auth_header_value_format: "Token {{access_token}}",
      params: { scope: "{{scopes}}", other: "text" },
      request_content_type: "application/json",
      response_content_type: "application/x-www-form-urlencoded",
      response_map: {
        access_token: "$.a.b",
        scope: "join('$.scopes',' ')",
        sub: "jwt_decode('$.t','$.sub')",
      },
      expiration_format: "relative_seconds",
    };
    const triggered = { ...request, triggers: { on_token_grant: true, on_token_refresh: false } };
    const oauth2 = {
      client_id: "client",
      scope_delimiter: ",",
      pkce: { enabled: false, code_challenge_method: "S256" },
      authorize_request: request,
      token_request: request,
      refresh_request: request,
      user_info_request: triggered,
      token_introspection_request: { ...triggered, enabled: true },
    };
    const record = { id: "full", type: "oauth2", status: "inactive", description: "All of it" };
    const body = { ...record, external_id: "ext", oauth2: { ...oauth2, client_secret: SECRET } };
    const created = await create(body);
    expect(created.status).toBe(201);
    const read = await admin().get(`${BASE}/full`);
    expect(read.body).toEqual(created.body);
    expect(read.body).toMatchObject(record);
    expect(at(read.body, "oauth2")).toEqual({
      ...oauth2,
      client_secret: { binding: "project", editable: true, exists: true },
      redirect_uri: `${stage.site.url}/api/v1/oauth/ext/callback`,
    });
    expect(read.text).not.toContain("external_id");
    expect(read.text).not.toContain(SECRET);
  });

  test("takes a well-known provider with the client alone", async () => {
    const answer = await create({ id: "known", provider_id: "slack", oauth2: { client_id: "c" } });
    expect(answer.status).toBe(201);
    expect(at(answer.body, "provider_id")).toBe("slack");
  });

  test("reads null as not given, at every depth", async () => {
    const request = { ...OAUTH2.token_request, method: null, params: null, response_map: { scope: null } };
    const oauth2 = {
      ...OAUTH2,
      client_secret: null,
      pkce: null,
      scope_delimiter: null,
      token_request: request,
      refresh_request: null,
    };
    const answer = await create({
      id: "unset",
      description: null,
      provider_id: null,
      status: null,
      type: null,
      external_id: null,
      oauth2,
    });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: answer.text });
    expect(answer.text).not.toContain("null");
    expect(at(answer.body, "oauth2.client_secret.exists")).toBe(false);
    expect(at(answer.body, "status")).toBe("active");
  });

  test("ignores fields that it does not know: they are neither stored nor shown", async () => {
    const stray = { stray_field: "s3cr3t-stray" };
    const oauth2 = {
      ...OAUTH2,
      ...stray,
      pkce: { enabled: true, ...stray },
      token_request: { ...OAUTH2.token_request, ...stray },
    };
    await custom("stray", oauth2, stray);
    const patch = {
      ...stray,
      oauth2: { ...stray, authorize_request: stray, token_request: { method: "POST", ...stray } },
    };
    const patched = await admin().patch(`${BASE}/stray`, patch);
    expect(patched.status).toBe(200);
    expect(patched.text).not.toContain("stray_field");
    expect(JSON.stringify(dump(databaseOf(stage.site)))).not.toContain("s3cr3t-stray");
  });

  test("of an id that is taken is already_exists and changes nothing", async () => {
    await custom("taken");
    const before = await admin().get(`${BASE}/taken`);
    const again = await create({ id: "taken", description: "other", oauth2: OAUTH2 });
    expect({ status: again.status, name: at(again.body, "name") }).toEqual({
      status: 400,
      name: "already_exists",
    });
    expect((await admin().get(`${BASE}/taken`)).body).toEqual(before.body);
    const other = await api(stage.site.url, stage.keys.other).post(BASE, { id: "taken", oauth2: OAUTH2 });
    expect(other.status).toBe(201);
  });

  test("of an id in another case is another record", async () => {
    await custom("Case");
    await custom("case");
  });

  test("with an external_id in use is refused, in every project", async () => {
    await custom("ext1", {}, { external_id: "shared" });
    for (const key of ["admin", "other"] as const) {
      const body = { id: "ext2", external_id: "shared", oauth2: OAUTH2 };
      const answer = await api(stage.site.url, stage.keys[key]).post(BASE, body);
      expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
        status: 400,
        name: "already_exists",
      });
      expect(answer.text).not.toContain("ext1");
    }
  });

  test("twenty times at once makes one record", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ id: "race", oauth2: OAUTH2 })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 400),
    ]);
  });
});

describe("reading and deleting", () => {
  test("the list is whole, oldest first, and says so", async () => {
    const { body } = await admin().get(`${BASE}?limit=1&offset=1`);
    const ids = (at(body, "items") as { id: string }[]).map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual(["slack", "plain"]);
    expect(body).toMatchObject({
      total_count: ids.length,
      limit: ids.length,
      page_count: ids.length,
      offset: 0,
    });
  });

  test("deleting answers with the record, and it is gone", async () => {
    await custom("gone", { client_secret: SECRET });
    const before = await admin().get(`${BASE}/gone`);
    const deleted = await admin().delete(`${BASE}/gone`);
    expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 200, body: before.body });
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const body = method === "PATCH" ? {} : undefined;
      const answer = await call(stage.site.url, {
        method,
        path: `${BASE}/gone`,
        key: stage.keys.admin,
        body,
      });
      expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
        status: 404,
        name: "not_found",
      });
    }
    await custom("gone");
    expect(at((await admin().get(`${BASE}/gone`)).body, "oauth2.client_secret.exists")).toBe(false);
  });

  test("another project's record is as unknown as none", async () => {
    await custom("mine");
    const other = api(stage.site.url, stage.keys.other);
    for (const method of ["get", "delete", "patch"] as const) {
      const foreign = await other[method](`${BASE}/mine`, method === "patch" ? {} : undefined);
      const unknown = await other[method](`${BASE}/none`, method === "patch" ? {} : undefined);
      expect(foreign.status).toBe(404);
      expect(foreign.text.replaceAll("mine", "none")).toBe(unknown.text);
    }
    expect((await other.get(BASE)).text).not.toContain('"mine"');
  });
});

describe("the redirect address", () => {
  test("follows public_url, path prefix and all, and keeps its external id", async () => {
    await using site = await startSite({
      environment: { RUNTIME_PUBLIC_URL: "https://runtime.example/prefix/" },
      chat: stage.site.chat,
    });
    await site.addChatProvider();
    const { body } = await api(site.url, await site.key("read")).get(`${BASE}/slack`);
    expect(at(body, "oauth2.redirect_uri")).toMatch(
      /^https:\/\/runtime\.example\/prefix\/api\/v1\/oauth\/[\w-]{24}\/callback$/,
    );
  });
});
