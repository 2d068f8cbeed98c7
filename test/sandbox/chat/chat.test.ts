// The corrections of the third-party emulator, one behaviour per test.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startChatSandbox, type ChatSandbox } from ".";
import { record, records, strings, text, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import { ALL_SCOPES, bodyOf, callerOf, callerWith, post, type Call } from "./test-client";

let sandbox: ChatSandbox;
let alice: Call;
let aliceToken: string;

beforeAll(async () => {
  sandbox = await startChatSandbox();
  aliceToken = sandbox.issueToken("alice", ALL_SCOPES).accessToken;
  alice = callerWith(sandbox, aliceToken);
});

afterAll(() => sandbox.stop());

const names = (items: JsonRecord[]): string[] => items.map((item) => text(item, "name"));
const nextCursor = (body: JsonRecord): string => text(record(body, "response_metadata"), "next_cursor");
/** Ids are created at the start, so tables refer to them by functions. */
const ids = {
  general: () => sandbox.channels.general.id,
  random: () => sandbox.channels.random.id,
  secret: () => sandbox.channels.secret.id,
  archived: () => sandbox.channels.archived.id,
  alice: () => sandbox.people.alice.id,
  bob: () => sandbox.people.bob.id,
  dave: () => sandbox.people.dave.id,
};

describe("transport", () => {
  const asForm = { "content-type": "application/x-www-form-urlencoded" };
  const asJson = { "content-type": "application/json; charset=utf-8" };

  test("a GET with the arguments in the query works", async () => {
    const url = `${sandbox.apiUrl}users.info?user=${sandbox.people.bob.id}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${aliceToken}` } });
    expect(text(record(await bodyOf(answer), "user"), "name")).toBe("bob");
  });

  test.each([
    ["no token", {}, "", "", "not_authed"],
    ["an unknown token", { authorization: "Bearer xoxp-unknown" }, "", "", "invalid_auth"],
    ["another scheme", { authorization: "Basic eDp5" }, "", "", "not_authed"],
    ["a token in the address", {}, "?token=", "", "not_authed"],
    ["a token in the body", {}, "", "token=", "not_authed"],
  ])("%s is refused", async (_, headers, query, body, error) => {
    const answer = await fetch(`${sandbox.apiUrl}auth.test${query === "" ? "" : query + aliceToken}`, {
      method: "POST",
      headers: { ...asForm, ...headers },
      body: body === "" ? "" : body + aliceToken,
    });
    expect(answer.status).toBe(200);
    expect(await bodyOf(answer)).toEqual({ ok: false, error });
  });

  test.each([
    ["without a content type", {}, "x", "missing_post_type"],
    ["as plain text", { "content-type": "text/plain" }, "channel=x", "invalid_post_type"],
    ["as JSON without a charset", { "content-type": "application/json" }, "{}", "invalid_charset"],
    ["as broken JSON", asJson, "{", "invalid_json"],
    ["as a JSON list", asJson, "[]", "json_not_object"],
  ])("a body %s is refused", async (_, headers, body, error) => {
    const answer = await fetch(`${sandbox.apiUrl}chat.postMessage`, {
      method: "POST",
      headers: { authorization: `Bearer ${aliceToken}`, ...headers },
      body: new Blob([body]),
    });
    expect(await bodyOf(answer)).toEqual({ ok: false, error });
  });

  test.each([
    ["chat.postMessage takes", "chat.postMessage", true],
    ["users.info does not take", "users.info", false],
  ])("%s a JSON body", async (_, method, ok) => {
    const answer = await fetch(sandbox.apiUrl + method, {
      method: "POST",
      headers: { authorization: `Bearer ${aliceToken}`, ...asJson },
      body: JSON.stringify({ channel: ids.general(), text: "json", user: ids.bob() }),
    });
    expect((await bodyOf(answer))["ok"]).toBe(ok);
  });

  test.each([
    ["an unknown method", "users.lookupByName", {}, "unknown_method"],
    ["a method of an object's prototype", "constructor", {}, "unknown_method"],
    ["a capital boolean", "conversations.list", { exclude_archived: "True" }, "invalid_arguments"],
    ["an empty cursor", "conversations.list", { cursor: "" }, "invalid_arguments"],
    ["a missing channel", "conversations.info", {}, "invalid_arguments"],
    ["an unknown type", "conversations.list", { types: "public_channel,dm" }, "invalid_types"],
  ])("%s is refused", async (_, method, params, error) => {
    expect(await alice(method, params)).toMatchObject({ ok: false, error });
  });
});

describe("scopes", () => {
  const read = "channels:read,groups:read,mpim:read,im:read";
  const write = "channels:write,groups:write,mpim:write,im:write";
  test.each([
    ["chat.postMessage", "users:read", () => ({ channel: ids.general(), text: "x" }), "chat:write"],
    ["users.info", "chat:write", () => ({ user: ids.bob() }), "users:read"],
    ["users.list", "chat:write", () => ({ limit: "10" }), "users:read"],
    ["users.lookupByEmail", "users:read", () => ({ email: "bob@sandbox.example" }), "users:read.email"],
    ["users.profile.get", "users:read", () => ({}), "users.profile:read"],
    ["conversations.list", "channels:read", () => ({ types: "public_channel,im" }), "im:read"],
    ["users.conversations", "im:read", () => ({ types: "mpim,im" }), "mpim:read"],
    ["conversations.list", "chat:write", () => ({}), read],
    ["conversations.info", "channels:read", () => ({ channel: ids.secret() }), "groups:read"],
    ["conversations.members", "channels:read", () => ({ channel: ids.secret() }), "groups:read"],
    ["conversations.history", "channels:history", () => ({ channel: ids.secret() }), "groups:history"],
    ["conversations.open", "im:write", () => ({ users: `${ids.bob()},${ids.dave()}` }), write],
    ["conversations.open", "mpim:write", () => ({ users: ids.bob() }), write],
  ])("%s with only %s gets the missing scope", async (method, scope, params, needed) => {
    const call = callerOf(sandbox, "alice", [scope]);
    expect(await call(method, params())).toEqual({
      ok: false,
      error: "missing_scope",
      needed,
      provided: scope,
    });
  });

  test("every answer names granted and accepted scopes", async () => {
    const { accessToken } = sandbox.issueToken("alice", ["users:read", "chat:write"]);
    const answer = await post(sandbox, "users.info", { user: ids.bob() }, accessToken);
    expect(answer.headers.get("x-oauth-scopes")).toBe("users:read,chat:write");
    expect(answer.headers.get("x-accepted-oauth-scopes")).toBe("users:read");
  });

  test("an e-mail address is included only with users:read.email", async () => {
    const call = callerOf(sandbox, "alice", ["users:read"]);
    const withScope = record(await alice("users.info", { user: ids.bob() }), "user");
    const withoutScope = record(await call("users.info", { user: ids.bob() }), "user");
    expect(text(record(withScope, "profile"), "email")).toBe("bob@sandbox.example");
    expect(record(withoutScope, "profile")).not.toHaveProperty("email");
  });
});

describe("tokens", () => {
  test("an expired token is refused", async () => {
    const { accessToken } = sandbox.issueToken("bob", ["users:read"]);
    sandbox.expireToken(accessToken);
    const body = await callerWith(sandbox, accessToken)("auth.test");
    expect(body).toEqual({ ok: false, error: "token_expired" });
  });

  test("a revoked token is refused", async () => {
    const { accessToken } = sandbox.issueToken("bob", ["users:read"]);
    sandbox.revokeToken(accessToken);
    const body = await callerWith(sandbox, accessToken)("auth.test");
    expect(body).toEqual({ ok: false, error: "token_revoked" });
  });

  test("auth.revoke revokes the token", async () => {
    const call = callerOf(sandbox, "bob", []);
    expect(await call("auth.revoke")).toEqual({ ok: true, revoked: true });
    expect(await call("auth.test")).toEqual({ ok: false, error: "token_revoked" });
  });

  test("auth.revoke with test=1 revokes nothing", async () => {
    const call = callerOf(sandbox, "bob", []);
    expect(await call("auth.revoke", { test: "1" })).toEqual({ ok: true, revoked: false });
    expect(await call("auth.test")).toMatchObject({ ok: true, user: "bob" });
  });

  test("a token acts as its owner, for more than the emulator's 5,000 requests", async () => {
    const call = callerOf(sandbox, "bob", ["users:read"]);
    for (let batch = 0; batch < 52; batch++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => call("auth.test")));
      expect(answers.every((answer) => answer["user"] === "bob")).toBe(true);
    }
  });
});

describe("people", () => {
  const listed = async (): Promise<JsonRecord[]> =>
    records(await alice("users.list", { limit: "100" }), "members");
  const named = async (name: string): Promise<JsonRecord> =>
    (await listed()).find((person) => person["name"] === name) ?? {};

  test("have a time zone", async () => {
    expect(await named("alice")).toMatchObject({ tz: "Europe/Berlin", tz_offset: 3600 });
  });

  test("a listing without a limit is refused", async () => {
    expect(await alice("users.list")).toEqual({ ok: false, error: "limit_required" });
  });

  test("a list has deactivated people, bots and slackbot, but no external people", async () => {
    expect(names(await listed())).toEqual(["admin", "alice", "bob", "carol", "dave", "robot", "slackbot"]);
  });

  test("a deactivated person is marked and has no time zone", async () => {
    const dave = await named("dave");
    expect(dave["deleted"]).toBe(true);
    expect(dave).not.toHaveProperty("tz");
  });

  test("slackbot does not have the bot flag", async () => {
    expect(await named("slackbot")).toMatchObject({ id: "USLACKBOT", is_bot: false });
  });

  test("an external person has a name only in the profile", async () => {
    const erin = record(await alice("users.info", { user: sandbox.people.erin.id }), "user");
    expect(erin).not.toHaveProperty("real_name");
    expect(record(erin, "profile")).toMatchObject({ real_name: "Erin Example" });
  });

  test.each([
    ["bob@sandbox.example", { ok: true, user: { name: "bob" } }],
    ["BOB@Sandbox.Example", { ok: true, user: { name: "bob" } }],
    ["dave@sandbox.example", { ok: false, error: "users_not_found" }],
    ["erin@sandbox.example", { ok: false, error: "users_not_found" }],
    ["unknown@sandbox.example", { ok: false, error: "users_not_found" }],
  ])("the address %s finds the right person or nothing", async (email, expected) => {
    expect(await alice("users.lookupByEmail", { email })).toMatchObject(expected);
  });
});

describe("pages", () => {
  test.each([
    ["users.list", "0"],
    ["users.list", "1001"],
    ["conversations.list", "1000"],
    ["conversations.list", "-1"],
    ["users.conversations", "1000"],
    ["conversations.list", "ten"],
  ])("%s refuses the limit %s", async (method, limit) => {
    expect(await alice(method, { limit })).toEqual({ ok: false, error: "invalid_limit" });
  });

  test.each(["users.list", "conversations.list", "users.conversations"])(
    "%s refuses an unknown cursor",
    async (method) => {
      const body = await alice(method, { limit: "2", cursor: "dXNlcjpVMEc5V0ZYTlo=" });
      expect(body).toEqual({ ok: false, error: "invalid_cursor" });
    },
  );

  test("a cursor of another method is refused", async () => {
    const cursor = nextCursor(await alice("conversations.list", { limit: "1" }));
    const body = await alice("users.conversations", { limit: "1", cursor });
    expect(body).toEqual({ ok: false, error: "invalid_cursor" });
  });

  test("a cursor leads to the next page, and the last page has none", async () => {
    const first = await alice("users.list", { limit: "4" });
    const second = await alice("users.list", { limit: "4", cursor: nextCursor(first) });
    expect(names(records(second, "members"))).toEqual(["dave", "robot", "slackbot"]);
    expect(nextCursor(second)).toBe("");
  });

  test("a cursor must be form-encoded: it ends with =", async () => {
    expect(nextCursor(await alice("users.list", { limit: "4" }))).toEndWith("=");
  });

  test("members are paged", async () => {
    const first = await alice("conversations.members", { channel: ids.random(), limit: "2" });
    const second = await alice("conversations.members", { channel: ids.random(), cursor: nextCursor(first) });
    expect(strings(first, "members")).toEqual([sandbox.people.admin.id, ids.alice()]);
    expect(strings(second, "members")).toEqual([ids.bob()]);
  });

  test("an org-wide token must name the workspace", async () => {
    await using organization = await startChatSandbox({ orgInstall: true });
    const call = callerOf(organization, "alice");
    expect(await call("conversations.list")).toEqual({ ok: false, error: "missing_argument" });
    expect(await call("conversations.list", { team_id: organization.team.id })).toMatchObject({ ok: true });
  });
});
