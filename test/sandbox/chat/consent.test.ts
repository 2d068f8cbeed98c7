// The consent page and the token endpoint of the sandbox.
import { describe, expect, test } from "bun:test";
import { consentAs, startChatSandbox, type ChatSandbox } from ".";
import { record, text, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import { callerWith, consentUrl, REDIRECT, tokenRequest } from "./test-client";

type Overrides = Readonly<Record<string, string | null>>;

const codeOf = (location: string): string => new URL(location).searchParams.get("code") ?? "";
const userGrant = (body: JsonRecord): JsonRecord => record(body, "authed_user");

/** The fields of a code exchange after a consent by alice. */
async function exchangeFields(sandbox: ChatSandbox, overrides: Overrides = {}) {
  const code = codeOf(await consentAs(consentUrl(sandbox, overrides), "alice"));
  return { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
}

describe("consent page", () => {
  test("shows scopes, a button per person and a cancel button, and runs no script", async () => {
    await using sandbox = await startChatSandbox();
    const page = await fetch(consentUrl(sandbox, { user_scope: "chat:write,users:read" }));
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const shown of ["users:read", "Continue as alice", "Continue as carol", "Cancel"]) {
      expect(html).toContain(shown);
    }
    for (const hidden of ["<script", "Continue as dave", "Continue as robot", "Continue as erin"]) {
      expect(html).not.toContain(hidden);
    }
  });

  test("consent redirects with a code and the unchanged state", async () => {
    await using sandbox = await startChatSandbox();
    const state = `a&b="c"+'d'<é>`;
    const redirect_uri = "http://localhost:7/cb?keep=1";
    const location = new URL(await consentAs(consentUrl(sandbox, { state, redirect_uri }), "bob"));
    expect(location.href).toStartWith("http://localhost:7/cb?keep=1&code=");
    expect(location.searchParams.get("state")).toBe(state);
  });

  test("cancel leads to access_denied", async () => {
    await using sandbox = await startChatSandbox();
    const location = await consentAs(consentUrl(sandbox), "cancel");
    expect(location).toBe(`${REDIRECT}?error=access_denied&state=s1`);
  });

  test("a response that redirects to the page is accepted", async () => {
    await using sandbox = await startChatSandbox();
    const location = await consentAs(Response.redirect(consentUrl(sandbox), 302), "alice");
    expect(location).toStartWith(`${REDIRECT}?code=`);
  });

  test.each<[string, Overrides]>([
    ["an unknown client", { client_id: "1.2" }],
    ["no client", { client_id: null }],
    ["a foreign redirect address", { redirect_uri: "http://chat.example/cb" }],
    ["no redirect address", { redirect_uri: null }],
    ["no scope at all", { user_scope: null }],
    ["an unknown scope", { user_scope: "chat:writes" }],
    ["scopes with spaces between", { user_scope: "chat:write users:read" }],
  ])("%s gets an error page and no redirect", async (_, overrides) => {
    await using sandbox = await startChatSandbox();
    const page = await fetch(consentUrl(sandbox, overrides), { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(page.headers.get("location")).toBeNull();
  });

  test("registered redirect addresses are exact, also for the form", async () => {
    await using sandbox = await startChatSandbox({ redirectUris: [REDIRECT] });
    const other = { redirect_uri: `${REDIRECT}/` };
    expect((await fetch(consentUrl(sandbox, other), { redirect: "manual" })).status).toBe(400);
    const body = new URLSearchParams(new URL(consentUrl(sandbox, other)).search);
    body.set("user", "alice");
    const decision = await fetch(sandbox.authorizeUrl, { method: "POST", body, redirect: "manual" });
    expect(decision.status).toBe(400);
  });

  test("PKCE is refused for an app without permission", async () => {
    await using sandbox = await startChatSandbox();
    const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const location = await consentAs(consentUrl(sandbox, pkce), "alice");
    expect(location).toBe(`${REDIRECT}?error=pkce_not_allowed&state=s1`);
  });
});

describe("code exchange", () => {
  test("the user's grant is nested, and there is no bot token", async () => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox);
    const body = await tokenRequest(sandbox, exchange);
    expect(body).toEqual({
      ok: true,
      app_id: expect.any(String),
      team: sandbox.team,
      enterprise: null,
      is_enterprise_install: false,
      authed_user: {
        id: sandbox.people.alice.id,
        scope: "chat:write",
        access_token: expect.stringMatching(/^xoxp-/),
        token_type: "user",
      },
    });
    expect(sandbox.ownerOf(text(userGrant(body), "access_token"))).toBe(sandbox.people.alice.id);
  });

  test("scopes in `scope` give a bot token at the top level, and no user token", async () => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox, { user_scope: null, scope: "chat:write" });
    const body = await tokenRequest(sandbox, exchange);
    expect(body["token_type"]).toBe("bot");
    expect(body["access_token"]).toStartWith("xoxb-");
    expect(userGrant(body)).toEqual({ id: sandbox.people.alice.id });
  });

  test.each([
    ["by configuration", "flat" as const, "oauth.v2.access"],
    ["by the user-only method", "nested" as const, "oauth.v2.user.access"],
  ])("the grant is flat %s", async (_, shape, method) => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox);
    sandbox.grantShape(shape);
    const body = await tokenRequest(sandbox, exchange, sandbox.apiUrl + method);
    expect(body).toMatchObject({ token_type: "user", scope: "chat:write", user_id: sandbox.people.alice.id });
    expect(body).not.toHaveProperty("authed_user");
  });

  test("client credentials may be fields with any characters", async () => {
    const clientSecret = "s:e%c+r&e t";
    await using sandbox = await startChatSandbox({ clientSecret });
    const exchange = await exchangeFields(sandbox);
    const byFields = { ...exchange, client_id: sandbox.clientId, client_secret: clientSecret };
    expect(await tokenRequest(sandbox, byFields)).toMatchObject({ ok: true });
    expect(await tokenRequest(sandbox, await exchangeFields(sandbox))).toMatchObject({ ok: true });
  });

  test.each([
    ["an unknown client", { client_id: "1.2", client_secret: "x" }, "invalid_client_id"],
    ["a wrong secret", { client_id: "12345.67890", client_secret: "x" }, "bad_client_secret"],
    ["another redirect address", { redirect_uri: `${REDIRECT}2` }, "bad_redirect_uri"],
    ["an unknown code", { code: "nonsense" }, "invalid_code"],
    ["an unknown grant type", { grant_type: "password" }, "invalid_grant_type"],
    ["an unexpected PKCE verifier", { code_verifier: "v" }, "invalid_code_verifier"],
  ])("%s is refused", async (_, fields, error) => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox);
    expect(await tokenRequest(sandbox, { ...exchange, ...fields })).toEqual({ ok: false, error });
  });

  test("JSON is refused", async () => {
    await using sandbox = await startChatSandbox();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(sandbox.tokenUrl, { method: "POST", headers, body: "{}" });
    expect(await answer.json()).toEqual({ ok: false, error: "invalid_post_type" });
  });

  test("a code works once", async () => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox);
    expect(await tokenRequest(sandbox, exchange)).toMatchObject({ ok: true });
    expect(await tokenRequest(sandbox, exchange)).toEqual({ ok: false, error: "invalid_code" });
  });

  test("a code lives ten minutes", async () => {
    let now = 1_750_000_000_000;
    await using sandbox = await startChatSandbox({ now: () => now });
    const exchange = await exchangeFields(sandbox);
    now += 600_000;
    expect(await tokenRequest(sandbox, exchange)).toEqual({ ok: false, error: "invalid_code" });
  });

  test.each([
    ["the right verifier", "v".repeat(43), true],
    ["another verifier", "w".repeat(43), false],
  ])("with PKCE allowed, %s decides", async (_, code_verifier, ok) => {
    const challenge = new Bun.CryptoHasher("sha256").update("v".repeat(43)).digest("base64url");
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    await using sandbox = await startChatSandbox({ pkce: true });
    const exchange = await exchangeFields(sandbox, pkce);
    expect((await tokenRequest(sandbox, { ...exchange, code_verifier }))["ok"]).toBe(ok);
  });

  test("a later consent adds to the earlier one with the same token", async () => {
    await using sandbox = await startChatSandbox();
    const exchange = await exchangeFields(sandbox);
    const first = userGrant(await tokenRequest(sandbox, exchange));
    const later = await exchangeFields(sandbox, { user_scope: "users:read" });
    const second = userGrant(await tokenRequest(sandbox, later));
    expect(second["scope"]).toBe("chat:write,users:read");
    expect(second["access_token"]).toBe(first["access_token"]);
  });

  test("scopes that the person denies are not granted", async () => {
    await using sandbox = await startChatSandbox();
    sandbox.denyScopes(["chat:write"]);
    const some = await exchangeFields(sandbox, { user_scope: "chat:write,users:read" });
    expect(userGrant(await tokenRequest(sandbox, some))["scope"]).toBe("users:read");
    const none = await exchangeFields(sandbox);
    expect(await tokenRequest(sandbox, none)).toEqual({ ok: false, error: "no_scopes" });
  });

  test("revoking ends every token of the person's grant", async () => {
    await using sandbox = await startChatSandbox({ rotation: true });
    const exchange = await exchangeFields(sandbox);
    const tokens = [exchange, await exchangeFields(sandbox)].map(async (fields) =>
      text(userGrant(await tokenRequest(sandbox, fields)), "access_token"),
    );
    const [first = "", second = ""] = await Promise.all(tokens);
    await callerWith(sandbox, first)("auth.revoke");
    expect(await callerWith(sandbox, second)("auth.test")).toEqual({ ok: false, error: "token_revoked" });
  });
});

describe("refresh", () => {
  const refresh = (grant: JsonRecord) => ({
    grant_type: "refresh_token",
    refresh_token: text(grant, "refresh_token"),
  });

  test("with rotation a grant expires, and a refresh returns a flat answer", async () => {
    let now = 1_750_000_000_000;
    await using sandbox = await startChatSandbox({ rotation: { expiresIn: 60 }, now: () => now });
    const exchange = await exchangeFields(sandbox);
    const grant = userGrant(await tokenRequest(sandbox, exchange));
    expect(grant["expires_in"]).toBe(60);
    expect(grant["access_token"]).toStartWith("xoxe.xoxp-");
    now += 60_000;
    const old = callerWith(sandbox, text(grant, "access_token"));
    expect(await old("auth.test")).toEqual({ ok: false, error: "token_expired" });
    const body = await tokenRequest(sandbox, refresh(grant));
    expect(body).toMatchObject({ ok: true, token_type: "user", scope: "chat:write", expires_in: 60 });
    expect(body).not.toHaveProperty("authed_user");
    expect(await callerWith(sandbox, text(body, "access_token"))("auth.test")).toMatchObject({ ok: true });
  });

  test("a refresh token works once", async () => {
    await using sandbox = await startChatSandbox({ rotation: true });
    const exchange = await exchangeFields(sandbox);
    const grant = userGrant(await tokenRequest(sandbox, exchange));
    const answers = await Promise.all([0, 1].map(() => tokenRequest(sandbox, refresh(grant))));
    expect(answers.map((answer) => answer["error"] ?? "ok").toSorted()).toEqual([
      "invalid_refresh_token",
      "ok",
    ]);
    expect(sandbox.calls("refresh")).toBe(2);
  });

  test("the default lifetime is twelve hours", async () => {
    await using sandbox = await startChatSandbox({ rotation: true });
    const exchange = await exchangeFields(sandbox);
    expect(userGrant(await tokenRequest(sandbox, exchange))["expires_in"]).toBe(43_200);
  });

  test("an issued pair can be refreshed", async () => {
    await using sandbox = await startChatSandbox();
    const { refreshToken = "" } = sandbox.issueToken("bob", ["chat:write"], { expiresIn: 5, refresh: true });
    const body = await tokenRequest(sandbox, { grant_type: "refresh_token", refresh_token: refreshToken });
    expect(body).toMatchObject({ ok: true, scope: "chat:write", expires_in: 5 });
  });
});
