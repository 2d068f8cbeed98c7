// What users have granted, as the administrator sees it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Scenario, scenarios } from "./scenario";
import { connect, startConsent, startStage, type Stage } from "./stage";

const BASE = "/v1/admin/user_connections";

let stage: Stage;
let alice = "";
let bob = "";
beforeAll(async () => {
  stage = await startStage();
  alice = await connect(stage, "alice");
  bob = await connect(stage, "bob");
});
afterAll(() => stage[Symbol.asyncDispose]());

const admin = () => api(stage.site.url, stage.keys.admin);
const idsIn = (body: unknown) => (at(body, "items") as { id: string }[]).map(({ id }) => id);
const execute = (user_id: string) =>
  api(stage.site.url, stage.keys.run).post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id });

describe("listing", () => {
  test("shows the record, and no token", async () => {
    await admin().patch("/v1/admin/auth_providers/slack", { description: "Team chat" });
    const { body, text } = await admin().get(`${BASE}?user_id=alice`);
    expect(at(body, "items")).toEqual([
      {
        id: alice,
        connection_id: alice,
        connection_status: "active",
        provider_id: "slack",
        provider_type: "oauth2",
        provider_description: "Team chat",
        scopes: expect.arrayContaining(["chat:write", "users:read"]) as unknown as string[],
        user_id: "alice",
      },
    ]);
    expect(alice).toMatch(/^ac_/);
    expect(text).not.toContain("xoxp-");
  });

  test.each<[string, string, () => string[]]>([
    ["everybody, oldest first", "", () => [alice, bob]],
    ["one user", "?user_id=bob", () => [bob]],
    ["one provider", "?provider_id=slack", () => [alice, bob]],
    ["both", "?provider_id=slack&user_id=alice", () => [alice]],
    ["a user of another provider", "?provider_id=other&user_id=alice", () => []],
    ["an unknown user", "?user_id=nobody", () => []],
    ["a user by another case", "?user_id=Alice", () => []],
    ["a user by a pattern", "?user_id=%25", () => []],
    ["a page of it", "?limit=1&offset=1", () => [bob]],
  ])("of %s", async (_what, query, expected) => {
    const { status, body } = await admin().get(BASE + query);
    expect({ status, ids: idsIn(body) }).toEqual({ status: 200, ids: expected() });
    expect(at(body, "page_count")).toBe(expected().length);
  });

  test("shows nothing to another project", async () => {
    const { body } = await api(stage.site.url, stage.keys.other).get(BASE);
    expect(body).toMatchObject({ items: [], total_count: 0 });
  });
});

describe("a key that is pinned to alice", () => {
  test("lists her connections only", async () => {
    const { body } = await api(stage.site.url, stage.keys["pinned read"]).get(BASE);
    expect({ ids: idsIn(body), total: at(body, "total_count") }).toEqual({ ids: [alice], total: 1 });
  });

  const rows: Scenario[] = [
    {
      name: "lists hers by name",
      method: "GET",
      path: `${BASE}?user_id=alice`,
      as: "pinned read",
      status: 200,
    },
    {
      name: "is refused for bob's",
      method: "GET",
      path: `${BASE}?user_id=bob`,
      as: "pinned read",
      status: 403,
      error: "forbidden",
      lacks: ["ac_"],
    },
  ];
  scenarios(() => stage, rows);

  test("counts her connections in the status; a key of several users counts theirs", async () => {
    const counted = async (users: string[]) => {
      const { status, body } = await api(stage.site.url, await stage.site.key("read", users)).get(
        "/v1/admin/status",
      );
      return [status, at(body, "connections")];
    };
    const [[, alice], [, own]] = [await counted(["alice"]), await counted(["bob"])];
    expect(await counted(["alice", "bob"])).toEqual([200, Number(alice) + Number(own)]);
  });

  test("deletes no connection, and makes no keys", async () => {
    const pinned = api(stage.site.url, stage.keys.pinned);
    const answers = [
      await pinned.delete(`${BASE}/${alice}`),
      await pinned.delete(`${BASE}/${bob}`),
      await pinned.post("/v1/admin/keys", { name: "made", users: ["alice"] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(idsIn((await admin().get(BASE)).body)).toEqual([alice, bob]);
  });

  test("cannot be an admin key", async () => {
    const answer = await admin().post("/v1/admin/keys", { name: "made", role: "admin", users: ["alice"] });

    expect([answer.status, at(answer.body, "field_errors.0.field")]).toEqual([400, "users"]);
  });
});

describe("deleting", () => {
  test("of another project's connection is as of none", async () => {
    const other = api(stage.site.url, stage.keys.other);
    const [foreign, unknown] = [await other.delete(`${BASE}/${bob}`), await other.delete(`${BASE}/ac_none`)];
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(unknown.text);
  });

  test("deletes the grant: the next call needs a consent, other users keep theirs", async () => {
    expect((await execute("bob")).status).toBe(200);
    const answer = await admin().delete(`${BASE}/${bob}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: "" });
    expect((await admin().delete(`${BASE}/${bob}`)).status).toBe(404);
    const refused = await execute("bob");
    expect(refused.status).toBe(403);
    expect(at(refused.body, "name")).toBe("tool_requirements_not_met");
    expect((await execute("alice")).status).toBe(200);
    const { body } = await admin().get(BASE);
    expect({ ids: idsIn(body), total: at(body, "total_count") }).toEqual({ ids: [alice], total: 1 });
  });

  test("is visible in the status of that consent", async () => {
    bob = await connect(stage, "bob");
    const read = () => admin().get(`/v1/auth/status?id=${bob}`);
    expect((await read()).body).toMatchObject({ id: bob, status: "completed", user_id: "bob" });
    await admin().delete(`${BASE}/${bob}`);
    expect((await read()).status).toBe(400);
    const { answer } = await startConsent(stage, { user_id: "bob" });
    expect(at(answer.body, "status")).toBe("pending");
  });
});

// Only bob is connected.
describe("a user without a connection never gets another user's token", () => {
  beforeAll(async () => {
    bob = await connect(stage, "bob");
  });
  const run = { method: "POST", path: "/v1/tools/execute", as: "run" as const };
  const carol = { tool_name: "Chat.WhoAmI", user_id: "carol" };
  scenarios(
    () => stage,
    [
      {
        name: "carol has not consented",
        ...run,
        body: carol,
        status: 403,
        error: "tool_requirements_not_met",
      },
      { name: "so does bob in another case", ...run, body: { ...carol, user_id: "Bob" }, status: 403 },
      { name: "so does bob with a space", ...run, body: { ...carol, user_id: "bob " }, status: 403 },
      {
        name: "no user is 400",
        ...run,
        body: { tool_name: "Chat.WhoAmI" },
        status: 400,
        contains: ["user_id"],
      },
      {
        name: "an empty user is 400",
        ...run,
        body: { ...carol, user_id: "" },
        status: 400,
        contains: ["user_id"],
      },
    ],
  );

  test("not even when bob calls at the same time [fault: token-of-another-user]", async () => {
    stage.site.chat.clearRequests();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => execute(index % 2 === 0 ? "bob" : "carol")),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 200 : 403)),
    );
    const seen = new Set(stage.site.chat.requests.map(({ userId }) => userId));
    expect([...seen]).toEqual([stage.site.chat.people.bob.id]);
  });
});
