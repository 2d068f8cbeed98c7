// A suspended user: every way to have something done, with every credential, from the next request on.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { linkChat, type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { client } from "../mcp/site";
import { type ModelServer, say, startModelServer } from "../sandbox/models/chat-server";
import type { Principal } from "../../src/identity";
import { api, at } from "../support/api";
import type { Site } from "../support/site";
import { printFigure } from "../threats/figure";

const WHO = { name: "Chat_WhoAmI", arguments: "{}" };
const RUN = { tool_name: "Chat.WhoAmI", user_id: "alice" };

let deployment: OpenIdSite;
let models: ModelServer;
let key: string;
let token: string;
let admin: ReturnType<typeof api>;
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
  for (const user of ["alice", "bob"]) await linkChat(site, user);
  key = await site.key("run");
  token = issued(provider, site.url);
  admin = api(site.url, await site.key("admin"));
});
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});
beforeEach(() => {
  deployment.site.chat.clearRequests();
  models.exchanges.length = 0;
});

const suspend = (user_id: string) => admin.post("/v1/admin/users/suspend", { user_id });
const resume = (user_id: string) => admin.post("/v1/admin/users/resume", { user_id });

type Way = (user: string) => Promise<number>;
const rest =
  (path: string, body: object): Way =>
  async (user_id) =>
    (await api(deployment.site.url, key).post(path, { ...body, user_id })).status;
const withToken =
  (path: string, body: object): Way =>
  async () =>
    (await api(deployment.site.url, token).post(path, body)).status;
const gateway =
  (family: "legacy" | "modern", method: string): Way =>
  async (user) => {
    const params = method === "tools/call" ? { name: WHO.name, arguments: {} } : {};
    const url = `${deployment.site.url}/mcp/keys`;
    return (await client(url, { key, user })[family](method, params)).status;
  };
const chatWith =
  (more: object): Way =>
  async (user) => {
    const request = { model: "m", messages: [{ role: "user", content: "who am I?" }], user, ...more };
    return (await api(deployment.site.url, key).post("/v1/chat/completions", request)).status;
  };
/** As the terminal does it, on the data folder. */
const terminal =
  (act: (operator: Principal, runtime: Site["runtime"], user_id: string) => Promise<unknown>): Way =>
  async (user_id) => {
    const { runtime } = deployment.site;
    return act(await runtime.identity.operator("default"), runtime, user_id).then(
      () => 200,
      (error: { status: number }) => error.status,
    );
  };

const requirement = { auth_requirement: { id: "slack", oauth2: { scopes: ["channels:history"] } } };
const { tool_name } = RUN;
const WAYS: Record<string, Way> = {
  "a run": rest("/v1/tools/execute", { tool_name }),
  "a scheduled run": rest("/v1/tools/execute", { tool_name, run_at: "2999-01-01T00:00:00Z" }),
  "a dry run": rest("/v1/tools/execute", { tool_name, dry_run: true }),
  "the requirements of a tool": rest("/v1/tools/requirements", { tool_names: [tool_name] }),
  "a consent for a tool": rest("/v1/tools/authorize", { tool_name }),
  "a consent": rest("/v1/auth/authorize", requirement),
  "a run with a user token": withToken("/v1/tools/execute", { tool_name }),
  "a consent with a user token": withToken("/v1/auth/authorize", requirement),
  "the list of tools with a user token": async () =>
    (await api(deployment.site.url, token).get("/v1/tools")).status,
  "the list of scheduled runs with a user token": async () =>
    (await api(deployment.site.url, token).get("/v1/scheduled_tools")).status,
  "a gateway with a user token": async () =>
    (await client(`${deployment.site.url}/mcp/tokens`, { key: token }).legacy("tools/list", {})).status,
  "tools of a gateway": gateway("legacy", "tools/list"),
  "a call at a gateway": gateway("legacy", "tools/call"),
  "a call at a gateway (2026-07-28)": gateway("modern", "tools/call"),
  "a chat completion": chatWith({ tools: ["Chat.WhoAmI"], tool_choice: "generate" }),
  "a chat completion without tools": chatWith({}),
  "a chat completion with a field of another user": chatWith({ user_id: "somebody-else" }),
  "the list of tools": async (user) =>
    (await api(deployment.site.url, key).get(`/v1/tools?user_id=${user}`)).status,
  "the list of tools with schemas": async (user) =>
    (await api(deployment.site.url, key).get(`/v1/tools?user_id=${user}&include_format=openai`)).status,
  "one tool": async (user) =>
    (await api(deployment.site.url, key).get(`/v1/tools/Chat.WhoAmI?user_id=${user}`)).status,
  "tools for a model": async (user) =>
    (await api(deployment.site.url, key).get(`/v1/formatted_tools?user_id=${user}`)).status,
  "one tool for a model": async (user) =>
    (await api(deployment.site.url, key).get(`/v1/formatted_tools/Chat.WhoAmI?user_id=${user}`)).status,
  "the terminal": terminal((operator, { tools }, user_id) => tools.execute(operator, { ...RUN, user_id })),
  "a dry run at the terminal": terminal((operator, { tools }, user_id) =>
    tools.execute(operator, { ...RUN, user_id, dry_run: true }),
  ),
  "the requirements of a tool at the terminal": terminal((operator, { tools }, user_id) =>
    tools.requirements(operator, { tool_names: [tool_name], user_id }),
  ),
  "the list of tools at the terminal": terminal((operator, { tools }, user_id) =>
    tools.listings.list(operator, { user_id }),
  ),
  "a consent for a tool at the terminal": terminal((operator, { tools }, user_id) =>
    tools.authorize(operator, { tool_name, user_id }),
  ),
  "a consent at the terminal": terminal((operator, { authorization }, user_id) =>
    authorization.authorize(operator, { ...requirement, user_id }),
  ),
  "a chat completion at the terminal": terminal((operator, { chat }, user) => {
    const request = { model: "m", messages: [{ role: "user" as const, content: "who am I?" }], user };
    return chat.complete(operator, { request, text: JSON.stringify(request) });
  }),
};

describe("a suspended user", () => {
  test("can have nothing done, and everything again after the end of it", async () => {
    const outcomes = async (user: string): Promise<Record<string, number>> => {
      const found: Record<string, number> = {};
      for (const [name, way] of Object.entries(WAYS)) found[name] = await way(user);
      return found;
    };
    const before = await outcomes("alice");
    await suspend("alice");
    deployment.site.chat.clearRequests();
    models.exchanges.length = 0;
    const during = await outcomes("alice");
    const sent = deployment.site.chat.requests.length + models.exchanges.length;
    await resume("alice");
    const after = await outcomes("alice");

    expect(Object.values(before).filter((status) => status >= 300)).toEqual([]);
    expect(during).toEqual(Object.fromEntries(Object.keys(WAYS).map((name) => [name, 403])));
    expect([sent, after]).toEqual([0, before]);
    printFigure("suspended user", `${Object.keys(WAYS).length} entry points: 0 succeed`);
  });

  test("stops no other user", async () => {
    await suspend("alice");
    expect(await rest("/v1/tools/execute", { tool_name })("bob")).toBe(200);
    await resume("alice");
  });

  test("of one project is not one of another", async () => {
    const { runtime } = deployment.site;
    await runtime.identity.createProject(await runtime.identity.operator("default"), "second", "Second");
    await runtime.users.suspend(await runtime.identity.operator("second"), "alice");
    expect(await rest("/v1/tools/execute", { tool_name })("alice")).toBe(200);
  });

  test("cannot finish a consent that has begun", async () => {
    const { body } = await api(deployment.site.url, key).post("/v1/auth/authorize", {
      ...requirement,
      user_id: "carol",
    });
    await suspend("carol");
    const page = await fetch(String(at(body, "url")), { redirect: "manual" });
    const status = await admin.get(`/v1/auth/status?id=${String(at(body, "id"))}`);
    await resume("carol");

    expect(page.headers.get("location")).toBeNull();
    expect(at(status.body, "status")).toBe("failed");
  });

  test("is shown in the list, and the audit trail has who did it", async () => {
    await suspend("bob");
    await suspend("bob");
    const { body } = await admin.get("/v1/admin/users?user_id=bob");
    await resume("bob");
    const { body: trail } = await admin.get("/v1/admin/audit?action=user.&limit=100");
    const entries = (at(trail, "items") as { action: string; details: { user?: string } }[]).filter(
      ({ details }) => details.user === "bob",
    );

    expect(at(body, "items.0.suspended")).toBe(true);
    expect(entries.map(({ action }) => action)).toEqual(["user.resume", "user.suspend"]);
  });
});

test("a scheduled run of a suspended user fails when it is due", async () => {
  const { runtime } = deployment.site;
  const operator = await runtime.identity.operator("default");
  const run_at = new Date(Date.now() + 1500).toISOString();
  const { id } = await runtime.tools.execute(operator, { ...RUN, run_at });
  await runtime.users.suspend(operator, "alice");
  const ended = async () => (await runtime.tools.scheduled.get(operator, id)).finished_at !== undefined;
  while (!(await ended())) await Bun.sleep(20);
  await runtime.users.resume(operator, "alice");

  const run = await runtime.tools.scheduled.get(operator, id);
  expect(run.execution_status).toBe("failed");
  expect(run.attempts.at(-1)?.system_error_message).toContain("suspended");
  expect(deployment.site.chat.requests).toEqual([]);
});
