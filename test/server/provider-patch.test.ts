// PATCH of a provider: what merges, what is replaced, what stays, what is refused.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../../src/base";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider } from "../support/site";
import { databaseOf, dump, type Stage, startConsent, startStage } from "./stage";

let stage: Stage;
let count = 0;
let path = "";
let before: Json;

const TOKEN = {
  endpoint: "https://idp.example/token",
  method: "POST",
  params: { a: "1", b: "2" },
  response_map: { access_token: "$.a", scope: "$.s" },
};
const OAUTH2 = {
  client_id: "client",
  client_secret: "s3cr3t-client",
  pkce: { enabled: false, code_challenge_method: "S256" },
  authorize_request: { endpoint: "https://idp.example/authorize" },
  token_request: TOKEN,
};

const admin = () => api(stage.site.url, stage.keys.admin);
const patch = (body: unknown) => admin().patch(path, body);

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  count += 1;
  path = `/v1/admin/auth_providers/patched${count}`;
  const body = { id: `patched${count}`, description: "before", oauth2: OAUTH2 };
  before = (await admin().post("/v1/admin/auth_providers", body)).body;
});

/** The record as it was, with these changes of its `oauth2` and its top level. */
function changed(oauth2: object, more: object = {}): object {
  const record = before as Record<string, Record<string, unknown>>;
  return { ...record, ...more, oauth2: { ...record["oauth2"], ...oauth2 }, updated_at: expect.any(String) };
}

describe("a patch", () => {
  test("that is empty changes nothing", async () => {
    const answer = await patch({});
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(changed({}) as Json);
  });

  test("changes one of two triggers", async () => {
    const triggers = { on_token_grant: true, on_token_refresh: false };
    const endpoint = "https://idp.example/me";
    await patch({ oauth2: { user_info_request: { endpoint, triggers } } });

    const answer = await patch({ oauth2: { user_info_request: { triggers: { on_token_refresh: true } } } });

    expect(at(answer.body, "oauth2.user_info_request")).toEqual({
      endpoint,
      triggers: { on_token_grant: true, on_token_refresh: true },
    });
  });

  test("adds a request with one of two triggers", async () => {
    const endpoint = "https://idp.example/introspect";
    const request = { endpoint, triggers: { on_token_grant: true } };
    const answer = await patch({ oauth2: { token_introspection_request: request } });

    expect(at(answer.body, "oauth2.token_introspection_request")).toEqual({
      endpoint,
      triggers: { on_token_grant: true, on_token_refresh: false },
    });
  });

  test("changes what is given", async () => {
    const answer = await patch({
      description: "after",
      status: "inactive",
      type: "oauth2",
      oauth2: { client_id: "new" },
    });
    expect(answer.body).toEqual(
      changed({ client_id: "new" }, { description: "after", status: "inactive" }) as Json,
    );
    expect((await admin().get(path)).body).toEqual(answer.body);
  });

  test("merges objects field by field", async () => {
    const answer = await patch({ oauth2: { pkce: { enabled: true }, token_request: { method: "GET" } } });
    const pkce = { enabled: true, code_challenge_method: "S256" };
    expect(answer.body).toEqual(changed({ pkce, token_request: { ...TOKEN, method: "GET" } }) as Json);
  });

  test("replaces the free maps whole", async () => {
    const maps = { params: { c: "3" }, response_map: {} };
    const answer = await patch({ oauth2: { token_request: maps } });
    expect(answer.body).toEqual(changed({ token_request: { ...TOKEN, ...maps } }) as Json);
  });

  test("reads null as not given", async () => {
    const nulls = {
      client_id: null,
      client_secret: null,
      pkce: { enabled: null },
      token_request: { params: null },
    };
    const answer = await patch({ id: null, description: null, status: null, oauth2: nulls });
    expect(answer.body).toEqual(changed({}) as Json);
    expect((await patch({ oauth2: null })).body).toEqual(changed({}) as Json);
  });

  test("keeps the secret unless a new one is given", async () => {
    const id = `patched${count}`;
    const sealed = () =>
      JSON.stringify(
        dump(databaseOf(stage.site))
          ["auth_providers"]?.filter((row) => at(row, "id") === id)
          .map((row) => at(row, "sealed_client_secret")),
      );
    const first = sealed();
    await patch({ oauth2: { client_id: "new" } });
    expect(sealed()).toBe(first);
    const answer = await patch({ oauth2: { client_secret: "s3cr3t-new" } });
    expect(sealed()).not.toBe(first);
    expect(answer.text).not.toContain("s3cr3t");
    expect(at(answer.body, "oauth2.client_secret.exists")).toBe(true);
  });

  test("may add a whole request", async () => {
    const refresh_request = { endpoint: "https://idp.example/refresh" };
    const answer = await patch({ oauth2: { refresh_request } });
    expect(answer.body).toEqual(changed({ refresh_request }) as Json);
  });

  test("may repeat the id of the path", async () => {
    expect((await patch({ id: `patched${count}` })).status).toBe(200);
  });

  test("cannot change the external id, which is not a field of it", async () => {
    const answer = await patch({ external_id: "mine" });
    expect(at(answer.body, "oauth2.redirect_uri")).toEqual(at(before, "oauth2.redirect_uri"));
  });

  test("moves updated_at and not created_at", async () => {
    stage.clock.move(5000);
    const answer = await patch({ description: "later" });
    expect(at(answer.body, "created_at")).toBe(at(before, "created_at"));
    expect(String(at(answer.body, "updated_at")) > String(at(before, "updated_at"))).toBe(true);
  });
});

describe("a patch is refused and changes nothing", () => {
  test.each<[string, object, string]>([
    ["with another id", { id: "other" }, "id must equal the id in the path"],
    ["with an unknown type", { type: "saml" }, "type must"],
    ["with another type", { type: "api_key" }, "type is oauth2, which cannot be changed"],
    ["with a block of another type", { api_key: { location: "header" } }, "api_key has no effect"],
    ["with an empty client_id", { oauth2: { client_id: "" } }, "oauth2.client_id must"],
    [
      "with a relative endpoint",
      { oauth2: { token_request: { endpoint: "/x" } } },
      "oauth2.token_request.endpoint must",
    ],
    [
      "with an unknown placeholder",
      { oauth2: { token_request: { params: { a: "{{x}}" } } } },
      "params.a has an unknown placeholder",
    ],
    [
      "that leaves a new request without endpoint",
      { oauth2: { refresh_request: { method: "POST" } } },
      "oauth2.refresh_request.endpoint is required",
    ],
    [
      "that leaves a new user info without triggers",
      { oauth2: { user_info_request: { endpoint: "https://idp.example/me" } } },
      "oauth2.user_info_request.triggers is required",
    ],
    ["that is not an object", [], "must be object"],
  ])("%s", async (_what, body, text) => {
    const answer = await patch(body);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text: answer.text });
    expect(at(answer.body, "message")).toContain(text);
    expect((await admin().get(path)).body).toEqual(before);
  });

  test("that takes away the well-known provider whose endpoints it needs", async () => {
    const known = { id: `known${count}`, provider_id: "slack", oauth2: { client_id: "c" } };
    await admin().post("/v1/admin/auth_providers", known);
    const answer = await admin().patch(`/v1/admin/auth_providers/known${count}`, { provider_id: "nobody" });
    expect(answer.status).toBe(400);
    expect(at(answer.body, "message")).toContain("oauth2.authorize_request is required");
  });
});

describe("a consent that is under way", () => {
  const slack = "/v1/admin/auth_providers/slack";
  const status = async (id: string) => (await admin().get(`/v1/auth/status?id=${id}`)).body;

  test("goes on when only the description changes", async () => {
    const { id, url } = await startConsent(stage);
    await admin().patch(slack, { description: "Team chat" });
    expect(at(await status(id), "status")).toBe("pending");
    await new Browser().consent(url, "alice");
    expect(at(await status(id), "status")).toBe("completed");
  });

  test.each<[string, object]>([
    ["endpoint", { oauth2: { authorize_request: { params: { user_scope: "{{scopes}}" } } } }],
    ["client", { oauth2: { client_id: "another" } }],
    ["secret", { oauth2: { client_secret: "s3cr3t-another" } }],
  ])("ends when the %s changes, and its address is not given again", async (_what, change) => {
    const first = await startConsent(stage, { user_id: `bob${count}` });
    const polling = admin().get(`/v1/auth/status?id=${first.id}&wait=20`);
    await admin().patch(slack, change);
    expect((await polling).body).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("changed"),
    });
    const page = await new Browser().open(first.url);
    expect(await page.text()).toContain("Not connected");
    const again = await startConsent(stage, { user_id: `bob${count}` });
    expect(again.url).not.toBe(first.url);
    const { oauth2 } = chatProvider(stage.site.chat);
    await admin().patch(slack, { oauth2 });
  });
});
