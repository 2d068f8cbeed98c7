// The consent page, the token endpoint, refresh and revocation.
import { describe, expect, test } from "bun:test";
import type { webcrypto } from "node:crypto";
import { consentAs, startSheetsSandbox, type SheetsSandbox } from "..";
import { text } from "../../../../catalogs/sandbox/chat/json";
import {
  callerWith,
  consentUrl,
  DRIVE_FILE,
  EMAIL,
  exchangeOf,
  PROFILE,
  REDIRECT,
  tokenRequest,
} from "../test-client";

type Overrides = Readonly<Record<string, string | null>>;

const claimsOf = (idToken: string): unknown =>
  JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());

async function consented(sandbox: SheetsSandbox, overrides: Overrides = {}, choices = {}, person = "alice") {
  const location = await consentAs(consentUrl(sandbox, overrides), person, choices);
  return tokenRequest(sandbox, exchangeOf(location));
}

describe("consent page", () => {
  test("shows scopes, a button per person and a cancel button, and runs no script", async () => {
    await using sandbox = await startSheetsSandbox();
    const page = await fetch(consentUrl(sandbox));
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const shown of [DRIVE_FILE, "Continue as alice", "Continue as bob", "Cancel"])
      expect(html).toContain(shown);
    expect(html).not.toContain("<script");
  });

  test("redirects with code, scope, issuer and the unchanged state", async () => {
    await using sandbox = await startSheetsSandbox();
    const state = `a&b="c"+'d'<é>`;
    const location = new URL(await consentAs(consentUrl(sandbox, { state, scope: "profile" }), "bob"));
    expect(location.href).toStartWith(`${REDIRECT}?`);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      state,
      iss: "https://accounts.google.com",
      scope: `openid ${PROFILE}`,
      code: expect.stringMatching(/^4\//),
    });
  });

  test("cancel leads to access_denied", async () => {
    await using sandbox = await startSheetsSandbox();
    const location = new URL(await consentAs(consentUrl(sandbox), "cancel"));
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: "access_denied", state: "s1" });
  });

  test("a hint shows only that person", async () => {
    await using sandbox = await startSheetsSandbox();
    const html = await (await fetch(consentUrl(sandbox, { login_hint: "bob@corp.example" }))).text();
    expect(html).toContain("Continue as bob");
    expect(html).not.toContain("Continue as alice");
  });

  test.each<[string, Overrides]>([
    ["an unknown client", { client_id: "1" }],
    ["no client", { client_id: null }],
    ["a foreign redirect address", { redirect_uri: "http://sheets.example/cb" }],
    ["no redirect address", { redirect_uri: null }],
    ["another response type", { response_type: "token" }],
    ["no scope", { scope: null }],
    ["an unknown scope", { scope: "drive.file" }],
    ["scopes with commas between", { scope: `${DRIVE_FILE},${EMAIL}` }],
    ["no PKCE", { code_challenge: null, code_challenge_method: null }],
    ["the plain method", { code_challenge_method: "plain" }],
    ["an invalid challenge", { code_challenge: "short" }],
    ["another access type", { access_type: "forever" }],
    ["an unknown prompt", { prompt: "please" }],
    ["an unknown parameter", { user_scope: "x" }],
    ["an invalid flag", { include_granted_scopes: "1" }],
  ])("%s gets an error page and no redirect", async (_, overrides) => {
    await using sandbox = await startSheetsSandbox();
    const page = await fetch(consentUrl(sandbox, overrides), { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(page.headers.get("location")).toBeNull();
  });

  test("registered redirect addresses are exact, also for the form", async () => {
    await using sandbox = await startSheetsSandbox({ redirectUris: [REDIRECT] });
    const other = { redirect_uri: `${REDIRECT}/` };
    expect((await fetch(consentUrl(sandbox, other))).status).toBe(400);
    const body = new URLSearchParams(new URL(consentUrl(sandbox, other)).search);
    body.set("user", "alice");
    expect((await fetch(sandbox.authorizeUrl, { method: "POST", body, redirect: "manual" })).status).toBe(
      400,
    );
  });
});

describe("tokens", () => {
  test("have the granted scopes as full addresses, and an id token with identity scopes", async () => {
    await using sandbox = await startSheetsSandbox();
    const body = await consented(sandbox, { scope: `${DRIVE_FILE} email profile` });
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3599 });
    expect(text(body, "scope").split(" ").toSorted()).toEqual(
      [DRIVE_FILE, EMAIL, PROFILE, "openid"].toSorted(),
    );
    expect(claimsOf(text(body, "id_token"))).toMatchObject({
      iss: "https://accounts.google.com",
      aud: sandbox.clientId,
      sub: sandbox.people.alice.id,
      email: sandbox.people.alice.email,
    });
  });

  test("id tokens are signed with a key of the set", async () => {
    await using sandbox = await startSheetsSandbox();
    const idToken = text(await consented(sandbox, { scope: "openid" }), "id_token");
    const [head = "", payload = "", signature = ""] = idToken.split(".");
    const set: { keys: webcrypto.JsonWebKey[] } = JSON.parse(
      await (await fetch(`${sandbox.url}/oauth2/v3/certs`)).text(),
    );
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("jwk", set.keys[0] ?? {}, algorithm, false, ["verify"]);
    const bytes = Buffer.from(signature, "base64url");
    const signed = new TextEncoder().encode(`${head}.${payload}`);
    expect(await crypto.subtle.verify(algorithm.name, key, bytes, signed)).toBe(true);
  });

  test("single files alone give no openid and id token", async () => {
    await using sandbox = await startSheetsSandbox();
    const body = await consented(sandbox);
    expect(body).toMatchObject({ scope: DRIVE_FILE });
    expect(body).not.toHaveProperty("id_token");
  });

  test("scopes that the person refuses are not granted; refusing all is a refusal", async () => {
    await using sandbox = await startSheetsSandbox();
    const scope = `${DRIVE_FILE} ${EMAIL}`;
    expect(text(await consented(sandbox, { scope }, { drop: [DRIVE_FILE] }), "scope")).toBe(
      `openid ${EMAIL}`,
    );
    sandbox.denyScopes([DRIVE_FILE]);
    const location = await consentAs(consentUrl(sandbox), "alice");
    expect(new URL(location).searchParams.get("error")).toBe("access_denied");
  });

  test("offline access gives a refresh token at the first consent and with a prompt", async () => {
    await using sandbox = await startSheetsSandbox();
    const has = async (overrides: Overrides): Promise<boolean> =>
      "refresh_token" in (await consented(sandbox, overrides));
    expect(await has({ access_type: null })).toBe(false);
    await using other = await startSheetsSandbox();
    const first = await consented(other, { prompt: null });
    expect(first).toHaveProperty("refresh_token");
    expect(await consented(other, { prompt: null })).not.toHaveProperty("refresh_token");
    expect(await consented(other, { prompt: "select_account" })).not.toHaveProperty("refresh_token");
    expect(await consented(other)).toHaveProperty("refresh_token");
  });

  test("earlier scopes are in the token on request", async () => {
    await using sandbox = await startSheetsSandbox();
    await consented(sandbox, { scope: EMAIL });
    expect(text(await consented(sandbox), "scope")).toBe(DRIVE_FILE);
    const both = await consented(sandbox, { include_granted_scopes: "true" });
    expect(text(both, "scope").split(" ").toSorted()).toEqual([DRIVE_FILE, EMAIL, "openid"].toSorted());
  });

  test("client credentials may be in a Basic header", async () => {
    const clientSecret = "s:e%c+r&e t";
    await using sandbox = await startSheetsSandbox({ clientSecret });
    const basic = [sandbox.clientId, clientSecret].map(encodeURIComponent).join(":");
    const answer = await fetch(sandbox.tokenUrl, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(basic)}` },
      body: new URLSearchParams(exchangeOf(await consentAs(consentUrl(sandbox), "alice"))),
    });
    expect(answer.status).toBe(200);
  });

  test.each<[string, Record<string, string>, string]>([
    ["an unknown client", { client_id: "1" }, "invalid_client"],
    ["a wrong secret", { client_secret: "x" }, "invalid_client"],
    ["another redirect address", { redirect_uri: `${REDIRECT}2` }, "redirect_uri_mismatch"],
    ["an unknown code", { code: "nonsense" }, "invalid_grant"],
    ["another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
    ["an unknown grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ])("%s is refused", async (_, fields, error) => {
    await using sandbox = await startSheetsSandbox();
    const exchange = exchangeOf(await consentAs(consentUrl(sandbox), "alice"));
    expect(await tokenRequest(sandbox, { ...exchange, ...fields })).toMatchObject({ error });
  });

  test("a code works once, ten minutes, and not without its verifier", async () => {
    let now = 0;
    await using sandbox = await startSheetsSandbox({ now: () => now });
    const exchange = exchangeOf(await consentAs(consentUrl(sandbox), "alice"));
    expect(await tokenRequest(sandbox, exchange)).toHaveProperty("access_token");
    expect(await tokenRequest(sandbox, exchange)).toMatchObject({ error: "invalid_grant" });
    const late = exchangeOf(await consentAs(consentUrl(sandbox), "alice"));
    now += 10 * 60 * 1000;
    expect(await tokenRequest(sandbox, late)).toMatchObject({ error: "invalid_grant" });
    const { code_verifier: _, ...bare } = exchangeOf(await consentAs(consentUrl(sandbox), "alice"));
    expect(await tokenRequest(sandbox, bare)).toMatchObject({ error_description: "Missing code verifier." });
  });
});

describe("refresh and revocation", () => {
  const refreshOf = (refresh_token: string) => ({ grant_type: "refresh_token", refresh_token });

  test("each refresh returns a new access token and no new refresh token", async () => {
    await using sandbox = await startSheetsSandbox();
    const refreshToken = text(await consented(sandbox), "refresh_token");
    for (let turn = 0; turn < 2; turn++) {
      const body = await tokenRequest(sandbox, refreshOf(refreshToken));
      expect(body).toMatchObject({ scope: DRIVE_FILE, token_type: "Bearer" });
      expect(body).not.toHaveProperty("refresh_token");
      const answer = await callerWith(sandbox, text(body, "access_token"))("GET", "/drive/v3/files");
      expect(answer.status).toBe(200);
    }
    expect(sandbox.calls("refresh")).toBe(2);
  });

  test("revoking one token revokes the whole grant", async () => {
    await using sandbox = await startSheetsSandbox();
    const first = await consented(sandbox);
    const second = await consented(sandbox);
    const revoke = (token: string) =>
      fetch(sandbox.revokeUrl, { method: "POST", body: new URLSearchParams({ token }) });
    expect((await revoke(text(first, "access_token"))).status).toBe(200);
    expect((await callerWith(sandbox, text(second, "access_token"))("GET", "/drive/v3/files")).status).toBe(
      401,
    );
    expect(await tokenRequest(sandbox, refreshOf(text(second, "refresh_token")))).toMatchObject({
      error: "invalid_grant",
    });
    expect((await revoke(text(first, "access_token"))).status).toBe(400);
  });

  test("the oldest of more than 100 refresh tokens is revoked silently", async () => {
    await using sandbox = await startSheetsSandbox();
    const issued = Array.from({ length: 101 }, () =>
      sandbox.issueToken("alice", [DRIVE_FILE], { refresh: true }),
    );
    const [oldest, next] = issued.map(({ refreshToken = "" }) => refreshToken);
    expect(await tokenRequest(sandbox, refreshOf(oldest ?? ""))).toMatchObject({ error: "invalid_grant" });
    expect(await tokenRequest(sandbox, refreshOf(next ?? ""))).toHaveProperty("access_token");
  });
});

describe("picking files on the page", () => {
  const picker = { trigger_onepick: "true", allow_multiple: "true" };

  test("opens them for the application and names them in the callback", async () => {
    await using sandbox = await startSheetsSandbox();
    const id = sandbox.addFile({ opened: false });
    const foreign = sandbox.addFile({ owner: "bob", opened: false });
    const location = await consentAs(consentUrl(sandbox, picker), "alice", { pick: [id, foreign] });
    expect(new URL(location).searchParams.get("picked_file_ids")).toBe(id);
    const { access_token } = await tokenRequest(sandbox, exchangeOf(location));
    const answer = await callerWith(sandbox, String(access_token))("GET", `/v4/spreadsheets/${id}`);
    expect(answer.status).toBe(200);
  });

  test.each<[string, Overrides]>([
    ["with other scopes", { scope: `${DRIVE_FILE} ${EMAIL}` }],
    ["with earlier scopes", { include_granted_scopes: "true" }],
    ["without asking", { prompt: null }],
  ])("is refused %s", async (_, overrides) => {
    await using sandbox = await startSheetsSandbox();
    expect((await fetch(consentUrl(sandbox, { ...picker, ...overrides }))).status).toBe(400);
  });
});
