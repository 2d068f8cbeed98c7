// What each answer of the platform means to the caller.
import { describe, expect, test } from "bun:test";
import { GrantDead, ScopesLost } from "../../../../src/tools";
import { ChatClient } from "../../../../catalogs/chat/client";
import { Connection, failureOf } from "../run";
import { refusal, Stub, type StubAnswer, throttle } from "../stub";

/** Fails the same way however often it is asked. */
async function errorOf(answer: StubAnswer, method: "users.info" | "chat.postMessage" = "users.info") {
  await using stub = new Stub().on(method, answer);
  const client = new ChatClient(new Connection(stub.apiUrl, { timeMs: 5000 }).context());
  const subject = 'user "U1"';
  const error = await failureOf(client.call(method, { user: "U1" }, { subject }));
  return { error, requests: stub.calls() };
}

const html = (status: number): Response =>
  new Response("<html>Bad gateway</html>", { status, headers: { "content-type": "text/html" } });

const AUTHORIZATION = ["UPSTREAM_RUNTIME_AUTH_ERROR", 401, false, 1] as const;
const PERMISSION = ["UPSTREAM_RUNTIME_AUTH_ERROR", 403, false, 1] as const;
const NOT_FOUND = ["UPSTREAM_RUNTIME_NOT_FOUND", 404, false, 1] as const;
const REFUSED = ["UPSTREAM_RUNTIME_BAD_REQUEST", 403, false, 1] as const;
const INPUT = ["TOOL_RUNTIME_BAD_INPUT_VALUE", 400, false, 1] as const;
/** Reads are tried once more. */
const FAILED = ["UPSTREAM_RUNTIME_SERVER_ERROR", 502, true, 2] as const;
const UNKNOWN = ["UPSTREAM_RUNTIME_UNMAPPED", 502, false, 1] as const;

describe("codes of a read", () => {
  test.each([
    ["invalid_auth", ...AUTHORIZATION],
    ["not_authed", ...AUTHORIZATION],
    ["token_revoked", ...AUTHORIZATION],
    ["token_expired", ...AUTHORIZATION],
    ["account_inactive", ...AUTHORIZATION],
    ["missing_scope", ...PERMISSION],
    ["not_allowed_token_type", ...PERMISSION],
    ["no_permission", ...PERMISSION],
    ["channel_not_found", ...NOT_FOUND],
    ["user_not_found", ...NOT_FOUND],
    ["users_not_found", ...NOT_FOUND],
    ["user_not_visible", ...NOT_FOUND],
    ["file_not_found", ...NOT_FOUND],
    ["not_in_channel", ...REFUSED],
    ["is_archived", ...REFUSED],
    ["restricted_action", ...REFUSED],
    ["restricted_action_read_only_channel", ...REFUSED],
    ["cannot_reply_to_message", ...REFUSED],
    ["ekm_access_denied", ...REFUSED],
    ["message_limit_exceeded", ...REFUSED],
    ["user_disabled", ...REFUSED],
    ["cannot_dm_bot", ...REFUSED],
    ["invalid_user_combination", ...REFUSED],
    ["no_text", ...INPUT],
    ["msg_too_long", ...INPUT],
    ["too_many_users", ...INPUT],
    ["invalid_arguments", ...INPUT],
    ["missing_argument", ...INPUT],
    ["invalid_cursor", ...INPUT],
    ["invalid_limit", ...INPUT],
    ["invalid_types", ...INPUT],
    ["invalid_ts_oldest", ...INPUT],
    ["invalid_ts_latest", ...INPUT],
    ["internal_error", ...FAILED],
    ["fatal_error", ...FAILED],
    ["service_unavailable", ...FAILED],
    ["request_timeout", ...FAILED],
    ["team_added_to_org", ...FAILED],
    ["org_login_required", ...FAILED],
    ["something_new", ...UNKNOWN],
  ])("%s is %s %i", async (code, kind, status, canRetry, requests) => {
    const { error, requests: made } = await errorOf(refusal(code));
    expect(error).toMatchObject({ kind, canRetry, details: { statusCode: status } });
    expect(error.details.developerMessage).toContain(code);
    expect(made).toBe(requests);
  });
});

describe("answers that are none", () => {
  test.each<[string, () => StubAnswer, string, number, boolean, number]>([
    ["HTML with 502", () => html(502), ...FAILED],
    ["an empty 503", () => new Response(null, { status: 503 }), ...FAILED],
    ["a 500 that says ok", () => Response.json({ ok: true }, { status: 500 }), ...FAILED],
    ["HTML with 200", () => html(200), ...FAILED],
    ["an empty 200", () => new Response(""), ...FAILED],
    ["a list", () => Response.json([]), ...FAILED],
    ["an object without ok", () => Response.json({ user: {} }), ...FAILED],
    ["HTML with 403", () => html(403), ...UNKNOWN],
    ["a 404 that says ok", () => Response.json({ ok: true }, { status: 404 }), ...UNKNOWN],
    ["a bare 401", () => html(401), ...AUTHORIZATION],
    ["a code with HTTP 404", () => Response.json(refusal("not_in_channel"), { status: 404 }), ...REFUSED],
  ])("%s", async (_, answer, kind, status, canRetry, requests) => {
    const { error, requests: made } = await errorOf(answer());
    expect(error).toMatchObject({ kind, canRetry, details: { statusCode: status } });
    expect(made).toBe(requests);
  });
});

test("what was not found is named as the caller named it", async () => {
  const { error } = await errorOf(refusal("user_not_found"));
  expect(error.message).toContain('user "U1"');
});

test("the platform's reasons for refused arguments reach the caller", async () => {
  const { error } = await errorOf(
    refusal("invalid_arguments", {
      response_metadata: { messages: ["[ERROR] missing required field: user"] },
    }),
  );
  expect(error.message).toContain("missing required field: user");
});

test("an expired cursor is reported with what to do next", async () => {
  const { error } = await errorOf(refusal("invalid_cursor"));
  expect(error.message).toContain("Start again without `next_cursor`");
});

test("a refused token is reported as a dead grant, with the code", async () => {
  const { error } = await errorOf(refusal("token_revoked"));
  expect(error).toBeInstanceOf(GrantDead);
  expect(error.details.developerMessage).toBe("token_revoked");
});

describe("missing scopes", () => {
  const lost = async (answer: StubAnswer): Promise<ScopesLost> => {
    const { error } = await errorOf(answer);
    if (!(error instanceof ScopesLost)) throw error;
    return error;
  };

  test("the call's own scope is named, not every one that would do", async () => {
    const error = await lost(
      refusal("missing_scope", { needed: "users:read,users:write", provided: "chat:write" }),
    );
    expect(error.needed).toEqual(["users:read"]);
    expect(error.provided).toEqual(["chat:write"]);
  });

  test("without `provided`, the header tells what the token holds", async () => {
    const headers = { "x-oauth-scopes": "chat:write, im:write" };
    const error = await lost(Response.json(refusal("missing_scope"), { headers }));
    expect(error.provided).toEqual(["chat:write", "im:write"]);
  });

  test("where nothing tells what the token holds, those of the call's own that the platform names", async () => {
    await using stub = new Stub().on(
      "conversations.list",
      refusal("missing_scope", { needed: "groups:read" }),
    );
    const client = new ChatClient(new Connection(stub.apiUrl).context());
    const types = ["public_channel", "private_channel", "im"];
    expect(await failureOf(client.call("conversations.list", { types }))).toMatchObject({
      needed: ["groups:read"],
    });
  });

  test("when the token holds the call's own scope, the platform's word counts", async () => {
    const error = await lost(
      refusal("missing_scope", { needed: "users:read,team:read", provided: "users:read" }),
    );
    expect(error.needed).toEqual(["team:read"]);
  });

  test("a refusal of the token's type claims no scope", async () => {
    const error = await lost(refusal("not_allowed_token_type"));
    expect(error.needed).toEqual([]);
  });
});

describe("rate limits that are too long to wait for", () => {
  test.each([
    ["429 with seconds", () => throttle("30"), 30_000],
    ["429 with a date", () => throttle("Sun, 08 Mar 2026 12:01:00 GMT"), 60_000],
  ])("%s", async (_, answer, ms) => {
    const { error, requests } = await errorOf(answer());
    expect(error).toMatchObject({
      kind: "UPSTREAM_RUNTIME_RATE_LIMIT",
      canRetry: true,
      details: { statusCode: 429, retryAfterMs: ms },
    });
    expect(requests).toBe(1);
  });

  test.each([
    ["429 without a time", () => throttle()],
    ["ratelimited with 200", () => refusal("ratelimited")],
    ["rate_limited with 200", () => refusal("rate_limited")],
  ])("%s waits a second, once", async (_, answer) => {
    const { error, requests } = await errorOf(answer());
    expect(error.details.retryAfterMs).toBe(1000);
    expect(requests).toBe(2);
  });
});

test("no error tells the token or an address with its query", async () => {
  const { error } = await errorOf(html(502), "chat.postMessage");
  const text = JSON.stringify([error.message, error.details]);
  expect(text).toContain("502");
  expect(text).not.toMatch(/xoxp|http/);
});
