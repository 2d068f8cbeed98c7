// A person who administers a project, and names another user: no tool runs for anybody else, through any entry point.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { linkChat, type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { client } from "../mcp/site";
import { type ModelServer, say, startModelServer } from "../sandbox/models/chat-server";
import { api } from "../support/api";
import { printFigure } from "./figure";

const RUN = { tool_name: "Chat.WhoAmI", user_id: "bob" };
const LATER = { ...RUN, run_at: "2999-01-01T00:00:00" };
const CALL = { name: "Chat_WhoAmI", arguments: {} };
const ASKED = { model: "m", user: "bob", tools: ["Chat.WhoAmI"], tool_choice: "execute" };
const WISH = { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } }, user_id: "bob" };

let deployment: OpenIdSite;
let models: ModelServer;
let administrator: string;
beforeAll(async () => {
  models = await startModelServer((request, reply) =>
    say(
      request,
      reply,
      request.messages.at(-1)?.role === "tool"
        ? { content: "ok" }
        : { calls: [{ name: "Chat_WhoAmI", arguments: "{}" }] },
    ),
  );
  const entry = { id: "local", models: ["m"], openai: { base_url: models.url, api_key: "a key" } };
  deployment = await startOpenIdSite({
    environment: {
      RUNTIME_MODELS: JSON.stringify([entry]),
      RUNTIME_AUTH_CLIENT_ID: "people",
      RUNTIME_SIGN_IN: "none",
    },
  });
  const { site, provider } = deployment;
  await linkChat(site, "alice");
  await linkChat(site, "bob");
  const { identity, gateways, invitations } = site.runtime;
  const operator = await identity.operator("default");
  await gateways.create(operator, { name: "keys", slug: "keys", auth_type: "arcade_header" });
  await gateways.create(operator, { name: "tokens", slug: "tokens" });
  // The consents came before.
  await identity.projects.update(operator, "default", { sign_in: "oidc" });
  await invitations.invite(operator, { user_id: "alice", role: "admin" });
  administrator = issued(provider, site.url);
}, 60_000);
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

const post = (path: string, body: object) => () => api(deployment.site.url, administrator).post(path, body);
const mcp = (slug: string, family: "legacy" | "modern") => () =>
  client(`${deployment.site.url}/mcp/${slug}`, {
    key: administrator,
    headers: { "x-user-id": "bob" },
  })[family]("tools/call", CALL);

const WAYS: Readonly<Record<string, () => Promise<{ status: number; text: string }>>> = {
  execute: post("/v1/tools/execute", RUN),
  "execute without running": post("/v1/tools/execute", { ...RUN, dry_run: true }),
  "execute later": post("/v1/tools/execute", LATER),
  "execute at the scoped address": post("/v1/orgs/default/projects/default/tools/execute", RUN),
  "chat completions": post("/v1/chat/completions", {
    ...ASKED,
    messages: [{ role: "user", content: "Who am I?" }],
  }),
  responses: post("/v1/responses", { ...ASKED, input: "Who am I?" }),
  "the consent of a tool": post("/v1/tools/authorize", RUN),
  "the requirements of a tool": post("/v1/tools/requirements", {
    tool_names: ["Chat.WhoAmI"],
    user_id: "bob",
  }),
  "a consent": post("/v1/auth/authorize", WISH),
  "a confirmed consent": post("/v1/auth/confirm_user", { flow_id: "unknown", user_id: "bob" }),
  "a gateway with keys": mcp("keys", "legacy"),
  "a gateway with keys, in the newer protocol": mcp("keys", "modern"),
};

test.each(Object.keys(WAYS))("%s: refused for another user", async (name) => {
  deployment.site.chat.clearRequests();
  const answer = await WAYS[name]?.();

  expect([401, 403]).toContain(answer?.status ?? 0);
  expect(deployment.site.chat.requests).toEqual([]);
});

test.each(["legacy", "modern"] as const)(
  "a gateway with tokens runs for the own user only (%s)",
  async (family) => {
    deployment.site.chat.clearRequests();
    const { text } = await mcp("tokens", family)();

    expect([text.includes("alice"), text.includes("bob")]).toEqual([true, false]);
  },
);

test("a run for the own user works", async () => {
  const { status, text } = await post("/v1/tools/execute", { ...RUN, user_id: "alice" })();
  expect([status, text.includes("alice")]).toEqual([200, true]);
});

afterAll(() =>
  printFigure(
    "an administrator who names another user",
    `${Object.keys(WAYS).length} entry points: 0 tools run`,
  ),
);
