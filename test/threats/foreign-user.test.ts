// A credential of one user that names another user of the same project: every way to run a tool, to start or follow a
// consent, and to read what there is about a user.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { linkChat, type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { client } from "../mcp/site";
import { type ModelServer, say, startModelServer } from "../sandbox/models/chat-server";
import { api, at } from "../support/api";
import { printFigure } from "./figure";

const RUN = { tool_name: "Chat.WhoAmI", user_id: "bob" };
const KEY_OF_BOB = "the-same-key";

let deployment: OpenIdSite;
let models: ModelServer;
const credentials: Record<string, string> = {};
/** What exists about bob. */
const bobs = { authorization: "", connection: "", run: "", session: "" };
beforeAll(async () => {
  models = await startModelServer((request, reply) =>
    say(request, reply, request.messages.at(-1)?.role === "tool" ? { content: "ok" } : { calls: [WHO] }),
  );
  const entry = { id: "local", models: ["m"], openai: { base_url: models.url, api_key: "a key" } };
  deployment = await startOpenIdSite({ environment: { RUNTIME_MODELS: JSON.stringify([entry]) } });
  const { site, provider } = deployment;
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.gateways.create(operator, { name: "keys", slug: "keys", auth_type: "arcade_header" });
  await site.runtime.gateways.create(operator, { name: "tokens", slug: "tokens" });
  await linkChat(site, "alice");
  await linkChat(site, "bob");
  const admin = api(site.url, await site.key("admin"));
  const listed = await admin.get("/v1/admin/user_connections?user_id=bob");
  bobs.connection = String(at(listed.body, "items.0.id"));
  const wish = {
    auth_requirement: { id: "slack", oauth2: { scopes: ["channels:history"] } },
    user_id: "bob",
  };
  bobs.authorization = String(at((await admin.post("/v1/auth/authorize", wish)).body, "id"));
  const later = { ...RUN, run_at: "2999-01-01T00:00:00" };
  bobs.run = String(at((await admin.post("/v1/tools/execute", later)).body, "id"));
  const anybody = await site.key("run");
  bobs.session = (await client(`${site.url}/mcp/keys`, { key: anybody, user: "bob" }).initialize()).session;
  credentials["a key of alice"] = await site.key("run", ["alice"]);
  credentials["a read key of alice"] = await site.key("read", ["alice"]);
  credentials["a verify key of alice"] = await site.key("verify", ["alice"]);
  credentials["a token of alice"] = issued(provider, site.url);
});
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});
beforeEach(() => {
  deployment.site.chat.clearRequests();
  models.exchanges.length = 0;
});

const WHO = { name: "Chat_WhoAmI", arguments: "{}" };

type Way = (credential: string) => Promise<{ status: number; text: string }>;
const rest =
  (method: "get" | "post" | "delete", path: () => string, body?: object): Way =>
  (credential) =>
    api(deployment.site.url, credential)[method](path(), body);
const mcp =
  (slug: string, family: "legacy" | "modern", headers: () => Record<string, string>): Way =>
  (key) =>
    client(`${deployment.site.url}/mcp/${slug}`, { key, headers: headers() })[family]("tools/call", {
      name: WHO.name,
      arguments: {},
    });
const asBob = () => ({ "x-user-id": "bob" });

const WAYS: Readonly<Record<string, Way>> = {
  execute: rest("post", () => "/v1/tools/execute", RUN),
  "execute later": rest("post", () => "/v1/tools/execute", { ...RUN, run_at: "2999-01-01T00:00:00" }),
  "execute at the scoped address": rest("post", () => "/v1/orgs/default/projects/default/tools/execute", RUN),
  "chat completions": rest("post", () => "/v1/chat/completions", {
    model: "m",
    messages: [{ role: "user", content: "Who am I?" }],
    user: "bob",
    tools: ["Chat.WhoAmI"],
    tool_choice: "execute",
  }),
  responses: rest("post", () => "/v1/responses", {
    model: "m",
    input: "Who am I?",
    user: "bob",
    tools: ["Chat.WhoAmI"],
    tool_choice: "execute",
  }),
  "responses whose calls the caller runs": rest("post", () => "/v1/responses", {
    model: "m",
    input: "Who am I?",
    user: "bob",
  }),
  embeddings: rest("post", () => "/v1/embeddings", { model: "m", input: "Who am I?", user: "bob" }),
  "a gateway for keys, with a session": mcp("keys", "legacy", () => ({
    ...asBob(),
    "mcp-session-id": bobs.session,
  })),
  "a gateway for keys": mcp("keys", "modern", asBob),
  "a gateway for keys, by the other header": mcp("keys", "modern", () => ({ "arcade-user-id": "bob" })),
  "authorize for a tool": rest("post", () => "/v1/tools/authorize", RUN),
  authorize: rest("post", () => "/v1/auth/authorize", {
    auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } },
    user_id: "bob",
  }),
  requirements: rest("post", () => "/v1/tools/requirements", { tool_names: ["Chat.WhoAmI"], user_id: "bob" }),
  "status of a consent": rest("get", () => `/v1/auth/status?id=${bobs.authorization}`),
  "status of a grant": rest("get", () => `/v1/auth/status?id=${bobs.connection}`),
  "confirm the user": rest("post", () => "/v1/auth/confirm_user", { flow_id: "unknown", user_id: "bob" }),
  "test a verifier": rest("post", () => "/v1/auth/validate_custom_verifier", {
    verifier_url: "https://verifier.example/",
    user_id: "bob",
  }),
  connections: rest("get", () => "/v1/admin/user_connections?user_id=bob"),
  "delete a connection": rest("delete", () => `/v1/admin/user_connections/${bobs.connection}`),
  "a scheduled run": rest("get", () => `/v1/scheduled_tools/${bobs.run}`),
  "tools that a user sees": rest("get", () => "/v1/tools?user_id=bob"),
};

let tried = 0;
afterAll(() =>
  printFigure(
    "a credential of another user",
    `${Object.keys(WAYS).length} ways × ${Object.keys(credentials).length} credentials, ${tried} requests: 0 succeed`,
  ),
);

describe.each(Object.entries(WAYS))("%s for bob", (_name, way) => {
  test.each(["a key of alice", "a read key of alice", "a verify key of alice", "a token of alice"])(
    "with %s is refused and says nothing about him",
    async (name) => {
      const { status, text } = await way(credentials[name] ?? "");
      tried += 1;

      expect([400, 401, 403, 404], text).toContain(status);
      expect(text).not.toContain("bob@");
      expect(deployment.site.chat.requests).toEqual([]);
      expect(models.exchanges).toEqual([]);
    },
  );
});

// Otherwise the refusals above would prove nothing.
test.each(Object.keys(WAYS).filter((name) => /^execute|^chat|^responses|^a gateway/.test(name)))(
  "%s for bob succeeds with a key for anybody",
  async (name) => {
    const key = await deployment.site.key("run");
    const alone = client(`${deployment.site.url}/mcp/keys`, { key, user: "bob" });
    bobs.session = (await alone.initialize()).session;
    const answer = await WAYS[name]?.(key);

    expect([answer?.status, answer?.text]).toEqual([200, expect.stringMatching(/bob|scheduled/)]);
  },
);

test.each([
  ["executions", "/v1/admin/executions"],
  ["connections", "/v1/admin/user_connections"],
  ["scheduled runs", "/v1/scheduled_tools"],
])("a list of %s shows nothing of others", async (_what, path) => {
  const admin = api(deployment.site.url, await deployment.site.key("admin"));
  await admin.post("/v1/tools/execute", RUN);
  const everything = (await admin.get(path)).text;
  expect(everything).toContain('"bob"');
  for (const name of Object.keys(credentials)) {
    const { status, text } = await api(deployment.site.url, credentials[name]).get(path);
    expect([200, 403]).toContain(status);
    expect(text).not.toContain('"bob"');
    tried += 1;
  }
});

test("a header cannot name another user than the token of a gateway", async () => {
  const call = mcp("tokens", "modern", asBob);
  const { text } = await call(credentials["a token of alice"] ?? "");

  expect(text).not.toContain("bob@");
});

test("the answer under an Idempotency-Key of another caller is not given", async () => {
  const send = (key: string, user_id: string) =>
    fetch(`${deployment.site.url}/v1/tools/execute`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": KEY_OF_BOB,
      },
      body: JSON.stringify({ ...RUN, user_id }),
    }).then((response) => response.text());
  expect(await send(await deployment.site.key("run"), "bob")).toContain("bob");

  expect(await send(credentials["a key of alice"] ?? "", "alice")).not.toContain("bob@");
  expect(await send(credentials["a token of alice"] ?? "", "alice")).not.toContain("bob@");
});
