// The accounts hosts: consent page, code exchange, refresh, revocation, and their limits.
import { describe, expect, test } from "bun:test";
import { consentAs } from "../chat";
import { type DataCenter, type RecordsSandbox, startRecordsSandbox } from ".";
import { call, consentUrl, REDIRECT, scopeText, tokenRequest } from "./test-client";

type Overrides = Readonly<Record<string, string | null>>;

async function codeFrom(sandbox: RecordsSandbox, person: string, overrides: Overrides = {}): Promise<string> {
  const location = await consentAs(consentUrl(sandbox, overrides), person);
  return new URL(location).searchParams.get("code") ?? "";
}

const exchange = (sandbox: RecordsSandbox, center: DataCenter, code: string, fields = {}) =>
  tokenRequest(
    center,
    { grant_type: "authorization_code", redirect_uri: REDIRECT, code, ...fields },
    sandbox,
  );
const refresh = (sandbox: RecordsSandbox, center: DataCenter, refreshToken: string) =>
  tokenRequest(center, { grant_type: "refresh_token", refresh_token: refreshToken }, sandbox);

describe("consent page", () => {
  test("shows scopes, a button per person and a cancel button, and runs no script", async () => {
    await using sandbox = await startRecordsSandbox();
    const page = await fetch(consentUrl(sandbox));
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const shown of ["ZohoCreator.report.READ", "Continue as alice", "Continue as carla", "Cancel"]) {
      expect(html).toContain(shown);
    }
    expect(html).not.toContain("<script");
  });

  test("redirects with code, state and the person's data center", async () => {
    await using sandbox = await startRecordsSandbox();
    for (const [person, center] of [
      ["alice", sandbox.us],
      ["carla", sandbox.eu],
    ] as const) {
      const { searchParams } = new URL(await consentAs(consentUrl(sandbox), person));
      expect(Object.fromEntries(searchParams)).toEqual({
        code: expect.any(String),
        state: "s1",
        location: center.location,
        "accounts-server": center.accountsUrl,
      });
    }
  });

  test("cancel leads to access_denied", async () => {
    await using sandbox = await startRecordsSandbox();
    expect(await consentAs(consentUrl(sandbox), "cancel")).toBe(`${REDIRECT}?error=access_denied&state=s1`);
  });

  test.each<[string, Overrides]>([
    ["an unknown client", { client_id: "x" }],
    ["a foreign redirect address", { redirect_uri: "http://app.example/cb" }],
    ["another response type", { response_type: "token" }],
    ["no scope", { scope: null }],
    ["scopes with spaces between", { scope: "ZohoCreator.report.READ ZohoCreator.form.CREATE" }],
    ["a scope in another case", { scope: "ZohoCreator.report.read" }],
  ])("%s gets an error page and no redirect", async (_, overrides) => {
    await using sandbox = await startRecordsSandbox();
    const page = await fetch(consentUrl(sandbox, overrides), { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(page.headers.get("location")).toBeNull();
  });

  test("registered redirect addresses are exact", async () => {
    await using sandbox = await startRecordsSandbox({ redirectUris: [REDIRECT] });
    const other = await fetch(consentUrl(sandbox, { redirect_uri: `${REDIRECT}/` }), { redirect: "manual" });
    expect(other.status).toBe(400);
  });
});

describe("code exchange", () => {
  test("returns a token pair, the API's base address and the lifetime in seconds", async () => {
    await using sandbox = await startRecordsSandbox();
    const answer = await exchange(sandbox, sandbox.eu, await codeFrom(sandbox, "carla"));
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^1000\./),
      refresh_token: expect.stringMatching(/^1000\./),
      api_domain: sandbox.eu.apiUrl,
      token_type: "Bearer",
      expires_in: 3600,
    });
  });

  test("a code is unknown at another data center, and stays valid at its own", async () => {
    await using sandbox = await startRecordsSandbox();
    const code = await codeFrom(sandbox, "carla");
    expect(await exchange(sandbox, sandbox.us, code)).toEqual({ error: "invalid_code" });
    expect(await exchange(sandbox, sandbox.eu, code)).toHaveProperty("access_token");
  });

  test.each<[string, Overrides, boolean]>([
    ["offline access, first consent", { prompt: null }, true],
    ["online access", { access_type: "online" }, false],
    ["no access type", { access_type: null }, false],
  ])("%s", async (_, overrides, expected) => {
    await using sandbox = await startRecordsSandbox();
    const answer = await exchange(sandbox, sandbox.us, await codeFrom(sandbox, "alice", overrides));
    expect("refresh_token" in answer).toBe(expected);
  });

  test("a second consent gives a refresh token only with prompt=consent", async () => {
    await using sandbox = await startRecordsSandbox();
    await codeFrom(sandbox, "alice");
    const silent = await exchange(sandbox, sandbox.us, await codeFrom(sandbox, "alice", { prompt: null }));
    expect(silent).not.toHaveProperty("refresh_token");
    expect(await exchange(sandbox, sandbox.us, await codeFrom(sandbox, "alice"))).toHaveProperty(
      "refresh_token",
    );
  });

  test("a code works once, for a minute, for its client and redirect address", async () => {
    await using sandbox = await startRecordsSandbox();
    const code = await codeFrom(sandbox, "alice");
    await exchange(sandbox, sandbox.us, code);
    expect(await exchange(sandbox, sandbox.us, code)).toEqual({ error: "invalid_code" });
    const late = await codeFrom(sandbox, "alice");
    sandbox.move(61_000);
    expect(await exchange(sandbox, sandbox.us, late)).toEqual({ error: "invalid_code" });
    const fields = async (changed: object) =>
      exchange(sandbox, sandbox.us, await codeFrom(sandbox, "alice"), changed);
    expect(await fields({ redirect_uri: `${REDIRECT}/` })).toEqual({ error: "invalid_redirect_uri" });
    expect(await fields({ client_id: "x" })).toEqual({ error: "invalid_client" });
    expect(await fields({ client_secret: sandbox.eu.clientSecret })).toEqual({
      error: "invalid_client_secret",
    });
  });

  test("credentials in a header are ignored", async () => {
    await using sandbox = await startRecordsSandbox();
    const authorization = `Basic ${btoa(`${sandbox.clientId}:${sandbox.us.clientSecret}`)}`;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x" });
    const answer = await fetch(sandbox.us.tokenUrl, { method: "POST", headers: { authorization }, body });
    expect(await answer.json()).toEqual({ error: "invalid_client" });
  });

  test("refused scopes are missing in the answer", async () => {
    await using sandbox = await startRecordsSandbox();
    sandbox.denyScopes(["report.DELETE"]);
    const code = await codeFrom(sandbox, "alice", { scope: scopeText("report.READ", "report.DELETE") });
    expect(await exchange(sandbox, sandbox.us, code)).toMatchObject({ scope: "ZohoCreator.report.READ" });
  });
});

describe("refresh", () => {
  test("returns only an access token", async () => {
    await using sandbox = await startRecordsSandbox();
    const { refreshToken } = sandbox.issueToken("alice");
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
    });
    expect(sandbox.calls("refresh")).toBe(1);
  });

  test("is unknown at other data centers and after revocation", async () => {
    await using sandbox = await startRecordsSandbox();
    const { refreshToken, accessToken } = sandbox.issueToken("alice");
    expect(await refresh(sandbox, sandbox.eu, refreshToken)).toEqual({ error: "invalid_code" });
    await fetch(sandbox.us.revokeUrl, { method: "POST", body: new URLSearchParams({ token: refreshToken }) });
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toEqual({ error: "invalid_code" });
    const answer = await call(sandbox.us, "GET /creator/v2/meta/applications", { token: accessToken });
    expect(answer).toMatchObject({ code: "1030" });
  });

  test("works ten times in ten minutes", async () => {
    await using sandbox = await startRecordsSandbox();
    const { refreshToken } = sandbox.issueToken("alice");
    for (let count = 0; count < 10; count++) await refresh(sandbox, sandbox.us, refreshToken);
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toMatchObject({ error: "Access Denied" });
    sandbox.move(10 * 60_000 + 1);
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toHaveProperty("access_token");
  });

  test("the 21st grant of a person revokes the first", async () => {
    await using sandbox = await startRecordsSandbox();
    const { refreshToken } = sandbox.issueToken("alice");
    for (let count = 0; count < 19; count++) sandbox.issueToken("alice");
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toHaveProperty("access_token");
    sandbox.issueToken("alice");
    expect(await refresh(sandbox, sandbox.us, refreshToken)).toEqual({ error: "invalid_code" });
  });

  test("an access token is valid for an hour", async () => {
    await using sandbox = await startRecordsSandbox();
    const { accessToken } = sandbox.issueToken("alice");
    sandbox.move(3600 * 1000 + 1);
    const answer = await call(sandbox.us, "GET /creator/v2/meta/applications", { token: accessToken });
    expect(answer).toMatchObject({ status: 401, code: "1030" });
  });
});

test("the directory names the accounts hosts", async () => {
  await using sandbox = await startRecordsSandbox();
  const answer = await fetch(`${sandbox.eu.accountsUrl}/oauth/serverinfo`);
  expect(await answer.json()).toMatchObject({
    locations: { us: sandbox.us.accountsUrl, eu: sandbox.eu.accountsUrl },
  });
});
