// Every kind of injected fault, and the recorded requests.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startChatSandbox, type ChatSandbox, type Fault } from ".";
import { record, records, text, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import { ALL_SCOPES, bodyOf, callerWith, post, tokenRequest, type Call } from "./test-client";

let sandbox: ChatSandbox;
let token: string;
let alice: Call;

beforeAll(async () => {
  sandbox = await startChatSandbox({ rotation: true });
  token = sandbox.issueToken("alice", ALL_SCOPES).accessToken;
  alice = callerWith(sandbox, token);
});

afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

afterAll(() => sandbox.stop());

const nextCursor = (body: JsonRecord): string => text(record(body, "response_metadata"), "next_cursor");
const names = (body: JsonRecord): string[] => records(body, "members").map((person) => text(person, "name"));
const everybody = ["admin", "alice", "bob", "carol", "dave", "robot", "slackbot"];

describe("answers that replace the real one", () => {
  const date = new Date("2026-01-02T03:04:05Z");
  test.each<[string, Fault, number, string | null, RegExp]>([
    ["seconds", { kind: "rate_limit", retryAfter: 30 }, 429, "30", /"error":"ratelimited"/],
    ["a date", { kind: "rate_limit", retryAfter: date }, 429, "Fri, 02 Jan 2026 03:04:05 GMT", /ratelimited/],
    ["no header", { kind: "rate_limit", retryAfter: null }, 429, null, /ratelimited/],
    ["200 rate_limited", { kind: "rate_limited_ok" }, 200, null, /"error":"rate_limited"/],
    ["5xx", { kind: "server_error", status: 502 }, 502, null, /^<!DOCTYPE html>/],
    ["an empty body", { kind: "empty_body" }, 200, null, /^$/],
    ["no JSON", { kind: "not_json", body: "oops" }, 200, null, /^oops$/],
    [
      "an error with fields",
      { kind: "error", error: "missing_scope", fields: { needed: "x:read" } },
      200,
      null,
      /^\{"ok":false,"error":"missing_scope","needed":"x:read"\}$/,
    ],
  ])("%s", async (_, fault, status, retryAfter, body) => {
    sandbox.fail("auth.test", fault);
    const answer = await post(sandbox, "auth.test", {}, token);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(await answer.text()).toMatch(body);
    expect(await alice("auth.test")).toMatchObject({ ok: true });
  });
});

describe("broken connections", () => {
  test.each([
    ["before the work has no effect", "reset_before" as const, 0],
    ["after the work leaves the message posted", "reset_after" as const, 1],
  ])("a reset %s", async (_, kind, posted) => {
    const channel = (await sandbox.addChannel(`channel-${kind}`)).id;
    sandbox.fail("chat.postMessage", { kind });
    const failure = await alice("chat.postMessage", { channel, text: "once" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "ECONNRESET" });
    expect(await sandbox.messages(channel)).toHaveLength(posted);
    expect(sandbox.requests).toMatchObject([{ method: "chat.postMessage", status: null, error: null }]);
  });

  test("a refresh that is reset after the work has used the refresh token up", async () => {
    const { refreshToken = "" } = sandbox.issueToken("bob", [], { refresh: true });
    const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
    sandbox.fail("refresh", { kind: "reset_after" });
    await tokenRequest(sandbox, fields).catch(() => null);
    expect(await tokenRequest(sandbox, fields)).toEqual({ ok: false, error: "invalid_refresh_token" });
  });
});

describe("delays", () => {
  test("delays the answer", async () => {
    sandbox.fail("auth.test", { kind: "delay", ms: 300 });
    const order: string[] = [];
    const late = alice("auth.test").finally(() => order.push("delayed"));
    while (sandbox.calls("auth.test") === 0) await Bun.sleep(1);
    await alice("auth.test").finally(() => order.push("next"));
    expect(await late).toMatchObject({ ok: true });
    expect(order).toEqual(["next", "delayed"]);
  });

  test("does nothing for a caller that has disconnected", async () => {
    const channel = (await sandbox.addChannel("late")).id;
    sandbox.fail("chat.postMessage", { kind: "delay", ms: 400 }, 2);
    const caller = new AbortController();
    const before = sandbox.calls("chat.postMessage");
    const gone = fetch(`${sandbox.apiUrl}chat.postMessage`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ channel, text: "late" }),
      signal: caller.signal,
    }).catch((error: unknown) => error);
    while (sandbox.calls("chat.postMessage") === before) await Bun.sleep(1);
    caller.abort();
    expect(await gone).toMatchObject({ name: "AbortError" });
    await alice("chat.postMessage", { channel, text: "later" });
    expect((await sandbox.messages(channel)).map(({ text }) => text)).toEqual(["later"]);
  });

  test("does not delay stop", async () => {
    const other = await startChatSandbox();
    const { accessToken } = other.issueToken("alice", []);
    other.fail("auth.test", { kind: "delay", ms: 60_000 });
    const answer = post(other, "auth.test", {}, accessToken).catch(() => "gone");
    while (other.calls("auth.test") === 0) await Bun.sleep(1);
    await other.stop();
    expect(await answer).toBe("gone");
  });
});

describe("pages", () => {
  test("an empty page has a cursor that skips no one", async () => {
    sandbox.fail("users.list", { kind: "empty_page" });
    const empty = await alice("users.list", { limit: "10" });
    expect(names(empty)).toEqual([]);
    expect(nextCursor(empty)).not.toBe("");
    expect(names(await alice("users.list", { limit: "10", cursor: nextCursor(empty) }))).toEqual(everybody);
  });

  test("two empty pages have different cursors", async () => {
    sandbox.fail("users.list", { kind: "empty_page" }, 2);
    const first = nextCursor(await alice("users.list", { limit: "10" }));
    const second = nextCursor(await alice("users.list", { limit: "10", cursor: first }));
    expect(second).not.toBe(first);
  });

  test("a short page has a cursor that skips no one", async () => {
    sandbox.fail("users.list", { kind: "short_page", items: 2 });
    const short = await alice("users.list", { limit: "10" });
    expect(names(short)).toEqual(everybody.slice(0, 2));
    const rest = await alice("users.list", { limit: "10", cursor: nextCursor(short) });
    expect(names(rest)).toEqual(everybody.slice(2));
  });

  test("a repeated cursor leads nowhere", async () => {
    sandbox.fail("users.list", { kind: "repeated_cursor" }, 3);
    const first = nextCursor(await alice("users.list", { limit: "2" }));
    const second = nextCursor(await alice("users.list", { limit: "2", cursor: first }));
    expect(second).toBe(first);
  });

  test("a short history page says that there is more", async () => {
    const channel = (await sandbox.addChannel("short")).id;
    for (const content of ["1", "2"]) await sandbox.addMessage(channel, { text: content });
    sandbox.fail("conversations.history", { kind: "short_page", items: 1 });
    expect(await alice("conversations.history", { channel })).toMatchObject({
      has_more: true,
      messages: [{ text: "2" }],
    });
  });

  test("page faults apply only to lists", () => {
    expect(() => sandbox.fail("users.info", { kind: "empty_page" })).toThrow("does not answer in pages");
  });
});

describe("queue and record", () => {
  test("faults are used in order, once each by default", async () => {
    sandbox.fail("auth.test", { kind: "error", error: "one" }, 2);
    sandbox.fail("auth.test", { kind: "error", error: "two" });
    const errors = [];
    for (let turn = 0; turn < 4; turn++) errors.push((await alice("auth.test"))["error"] ?? "ok");
    expect(errors).toEqual(["one", "one", "two", "ok"]);
  });

  test("clearing removes them, and * matches any method", async () => {
    sandbox.fail("*", { kind: "error", error: "any" }, Infinity);
    expect(await alice("users.info")).toMatchObject({ error: "any" });
    sandbox.clearFaults();
    expect(await alice("auth.test")).toMatchObject({ ok: true });
  });

  test("a fault of the refresh grant does not affect the code exchange", async () => {
    sandbox.fail("refresh", { kind: "error", error: "internal_error" });
    expect(await tokenRequest(sandbox, { code: "x" })).toMatchObject({ error: "invalid_code" });
    expect(await tokenRequest(sandbox, { grant_type: "refresh_token", refresh_token: "x" })).toMatchObject({
      error: "internal_error",
    });
  });

  test("a request is recorded with its arguments, owner, token and answer", async () => {
    await bodyOf(await post(sandbox, "users.info", { user: "U0NOBODY00" }, token));
    expect(sandbox.requests).toEqual([
      {
        method: "users.info",
        verb: "POST",
        params: { user: "U0NOBODY00" },
        userId: sandbox.people.alice.id,
        token,
        status: 200,
        error: "user_not_found",
        at: expect.any(Number),
      },
    ]);
  });

  test("calls are counted by method and in total", async () => {
    await alice("auth.test");
    await alice("users.info");
    expect([sandbox.calls(), sandbox.calls("auth.test"), sandbox.calls("chat.postMessage")]).toEqual([
      2, 1, 0,
    ]);
  });

  test("sandboxes are independent of each other", async () => {
    const others = await Promise.all([startChatSandbox(), startChatSandbox()]);
    const [first, second] = others;
    const { accessToken } = first.issueToken("alice", []);
    expect(await callerWith(first, accessToken)("auth.test")).toMatchObject({ ok: true });
    expect(await callerWith(second, accessToken)("auth.test")).toMatchObject({ error: "invalid_auth" });
    await Promise.all(others.map((other) => other.stop()));
  });

  test("a port in use is an ordinary error", async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(startChatSandbox({ port })).rejects.toThrow();
  });
});
