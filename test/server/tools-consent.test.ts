// Requirements and consent of tools, and keys that are pinned to users.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Scenario, scenarios } from "./scenario";
import { connect, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
});
afterAll(() => stage[Symbol.asyncDispose]());

const agent = () => api(stage.site.url, stage.keys.run);
const requirements = (body: unknown) => agent().post("/v1/tools/requirements", body);
const statusOf = async (id: string) => (await agent().get(`/v1/auth/status?id=${id}`)).body;

describe("token_status", () => {
  const shown = async (query: string) => (await agent().get(`/v1/tools/Chat.WhoAmI${query}`)).body;

  test("is left out when no user is named", async () => {
    const record = await shown("");
    expect(at(record, "requirements.met")).toBe(false);
    expect(at(record, "requirements.authorization")).toEqual({
      id: "slack",
      provider_id: "slack",
      provider_type: "oauth2",
      oauth2: { scopes: ["users:read", "users:read.email"] },
      status: "active",
    });
  });

  test("follows the user from not_started over pending to completed and failed", async () => {
    const read = async () => at(await shown("?user_id=tom"), "requirements.authorization.token_status");
    expect(await read()).toBe("not_started");
    const { body } = await agent().post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "tom" });
    expect(await read()).toBe("pending");
    await new Browser().consent(String(at(body, "url")), "bob");
    expect(await read()).toBe("completed");
    expect(at(await shown("?user_id=tom"), "requirements.met")).toBe(true);
  });

  test("is also in lists, for the named user", async () => {
    const { body } = await agent().get("/v1/tools?toolkit=chat&limit=100&user_id=alice");
    const items = at(body, "items") as { name: string }[];
    const whoAmI = items.find(({ name }) => name === "WhoAmI");
    expect(at(whoAmI, "requirements.authorization.token_status")).toBe("completed");
  });

  test("says inactive, and why, without a provider", async () => {
    const other = api(stage.site.url, stage.keys.other);
    const { body } = await other.get("/v1/tools/Chat.WhoAmI?user_id=alice");
    expect(at(body, "requirements.authorization")).toMatchObject({
      status: "inactive",
      status_reason: 'no auth provider "slack" is configured in this project',
      token_status: "not_started",
    });
  });
});

describe("requirements", () => {
  test("of several tools are joined by provider", async () => {
    const tool_names = ["Chat.WhoAmI", "chat_sendmessage"];
    const { status, body } = await requirements({ tool_names, user_id: "new" });
    expect(status).toBe(200);
    const item = at(body, "authorization.items.slack") as Record<string, unknown>;
    expect(body).toMatchObject({
      met: false,
      authorization: { met: false },
      secrets: { met: true, items: {} },
    });
    expect(item["tool_names"]).toEqual(["Chat.WhoAmI", "Chat.SendMessage"]);
    expect(item["scopes"]).toEqual(expect.arrayContaining(["users:read", "chat:write"]));
    expect(at(item, "oauth2.scopes")).toEqual(item["scopes"]);
    expect(item).toMatchObject({ met: false, status: "active", token_status: "not_started" });
    expect(Object.keys(item)).not.toContain("url");
    expect(Object.keys(item)).not.toContain("authorization_id");
  });

  test("name what is missing only", async () => {
    const { body } = await agent().post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "part" });
    await new Browser().consent(String(at(body, "url")), "carol");
    const report = await requirements({ tool_names: ["Chat.SendMessage"], user_id: "part" });
    const missing = at(report.body, "authorization.items.slack.oauth2.scopes") as string[];
    expect(missing).toContain("chat:write");
    expect(missing).not.toContain("users:read");
    const met = await requirements({ tool_names: ["Chat.WhoAmI"], user_id: "part" });
    expect(at(met.body, "met")).toBe(true);
  });

  test("of a tool that is named twice count once", async () => {
    const tools = [{ tool_name: "Chat.WhoAmI", tool_version: null }];
    const { body } = await requirements({
      tool_names: ["Chat.WhoAmI", "chat.whoami"],
      tools,
      user_id: "new",
    });
    expect(at(body, "authorization.items.slack.tool_names")).toEqual(["Chat.WhoAmI"]);
  });

  test("with authorize start one consent for all, which can be polled and finished", async () => {
    const request = { tool_names: ["Chat.WhoAmI", "Chat.SendMessage"], user_id: "starter", authorize: true };
    const first = at((await requirements(request)).body, "authorization.items.slack");
    expect(first).toMatchObject({ met: false, token_status: "pending" });
    expect(at(first, "url")).toContain("/authorize/");
    const again = at((await requirements(request)).body, "authorization.items.slack");
    expect(at(again, "authorization_id")).toBe(at(first, "authorization_id"));
    const id = String(at(first, "authorization_id"));
    expect(await statusOf(id)).toMatchObject({ id, status: "pending", user_id: "starter" });
    const shown = at(
      (await requirements({ ...request, authorize: false })).body,
      "authorization.items.slack",
    );
    expect(at(shown, "url")).toBe(at(first, "url"));
    await new Browser().consent(String(at(first, "url")), "alice");
    expect(at((await requirements(request)).body, "met")).toBe(true);
  });

  test("with authorize start nothing when all is met", async () => {
    const { body } = await requirements({ tool_names: ["Chat.WhoAmI"], user_id: "alice", authorize: true });
    expect(at(body, "met")).toBe(true);
    expect(at(body, "authorization.items.slack.url")).toBeUndefined();
  });

  test("name all unknown tools at once", async () => {
    const tool_names = ["Chat.WhoAmI", "Chat.WhoAmU", "Nope.Nothing"];
    const tools = [{ tool_name: "Chat.SendMessage", tool_version: "9.9.9" }];
    const { status, body } = await requirements({ tool_names, tools, user_id: "alice" });
    expect({ status, name: at(body, "name") }).toEqual({ status: 400, name: "tool_not_found" });
    for (const text of ["did you mean Chat.WhoAmI?", "Nope.Nothing", '"9.9.9"']) {
      expect(at(body, "message")).toContain(text);
    }
  });

  const post = { method: "POST", path: "/v1/tools/requirements", as: "run" as const, status: 400 };
  const names = { tool_names: ["Chat.WhoAmI"] };
  const rows: Scenario[] = [
    { name: "of nothing are 400", ...post, body: { user_id: "alice" }, contains: ["tool_names or tools"] },
    { name: "of an empty list are 400", ...post, body: { user_id: "alice", tool_names: [] } },
    {
      name: "of names that are text are 400",
      ...post,
      body: { user_id: "alice", tool_names: "Chat.WhoAmI" },
    },
    { name: "of a name that is a number are 400", ...post, body: { user_id: "alice", tool_names: [1] } },
    {
      name: "of 201 tools are 400",
      ...post,
      body: { user_id: "a", tool_names: Array.from({ length: 201 }, () => "Chat.WhoAmI") },
    },
    {
      name: "of a tool without a name are 400",
      ...post,
      body: { user_id: "alice", tools: [{}] },
      contains: ["tools.0.tool_name is required"],
    },
    {
      name: "with authorize as text are 400",
      ...post,
      body: { ...names, user_id: "alice", authorize: "true" },
    },
  ];
  scenarios(() => stage, rows);
});

describe("authorizing a tool", () => {
  test("asks for exactly its scopes", async () => {
    const { body } = await agent().post("/v1/tools/authorize", {
      tool_name: "Chat_WhoAmI",
      user_id: "exact",
    });
    expect(at(body, "scopes")).toEqual(["users:read", "users:read.email"]);
    expect(body).toMatchObject({ status: "pending", user_id: "exact", provider_id: "slack", context: {} });
  });

  test("of what is granted is completed at once, without an address", async () => {
    const { body } = await agent().post("/v1/tools/authorize", {
      tool_name: "Chat.WhoAmI",
      user_id: "alice",
    });
    expect(at(body, "status")).toBe("completed");
    expect(at(body, "url")).toBeUndefined();
    expect(await statusOf(String(at(body, "id")))).toMatchObject({ status: "completed", user_id: "alice" });
  });
});

const CALLS: [string, object][] = [
  ["/v1/tools/execute", { tool_name: "Chat.WhoAmI" }],
  ["/v1/tools/authorize", { tool_name: "Chat.WhoAmI" }],
  ["/v1/tools/requirements", { tool_names: ["Chat.WhoAmI"] }],
  ["/v1/auth/authorize", { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } } }],
];

describe.each(CALLS)("%s", (path, body) => {
  test.each<[string, object]>([
    ["no user", {}],
    ["null for the user", { user_id: null }],
    ["an empty user", { user_id: "" }],
    ["a blank user", { user_id: " " }],
  ])("with %s is 400 and names the field", async (_what, user) => {
    const answer = await agent().post(path, { ...body, ...user });
    expect(answer.status).toBe(400);
    expect(at(answer.body, "field_errors.0.field")).toBe("user_id");
    expect(at(answer.body, "message")).toContain("user_id");
  });

  test("with a key that is pinned to alice is 200 for her and 403 for bob", async () => {
    const pinned = api(stage.site.url, stage.keys.pinned);
    expect((await pinned.post(path, { ...body, user_id: "alice" })).status).toBe(200);
    for (const user_id of ["bob", "Alice", "alice "]) {
      const answer = await pinned.post(path, { ...body, user_id });
      expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
        status: 403,
        name: "forbidden",
      });
    }
  });

  test("names the user before anything is said about tool or provider", async () => {
    const pinned = api(stage.site.url, stage.keys.pinned);
    const unknown = path.endsWith("requirements")
      ? { tool_names: ["No.Tool"] }
      : path.startsWith("/v1/tools")
        ? { tool_name: "No.Tool" }
        : { auth_requirement: { id: "none" } };
    expect((await pinned.post(path, { ...unknown, user_id: "bob" })).status).toBe(403);
  });
});

describe("a key that is pinned to alice", () => {
  const rows: Scenario[] = [
    "/v1/tools?user_id=bob",
    "/v1/tools?user_id=bob&toolkit=none",
    "/v1/tools/Chat.WhoAmI?user_id=bob",
  ].map((path) => ({
    name: `is 403 on ${path}`,
    method: "GET",
    path,
    as: "pinned",
    status: 403,
    error: "forbidden",
  }));
  scenarios(() => stage, rows);

  test("does not see bob's consent: to it there is none", async () => {
    const { body } = await agent().post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "bob" });
    const pinned = api(stage.site.url, stage.keys.pinned);
    const foreign = await pinned.get(`/v1/auth/status?id=${String(at(body, "id"))}`);
    const unknown = await pinned.get("/v1/auth/status?id=ar_none");
    expect(foreign.status).toBe(400);
    expect(foreign.text).toBe(unknown.text);
  });

  test.each(["?user_id=", "?user_id=%20"])("and every other: /v1/tools%s is 400", async (query) => {
    const answer = await agent().get(`/v1/tools${query}`);
    expect(answer.status).toBe(400);
    expect(at(answer.body, "name")).toBe("malformed_request");
    expect(at(answer.body, "message")).toContain("user_id");
  });
});
