// Every row of the table: a whole consent over HTTP, then what is stored, what was sent, and a call two hours later.
import { verify } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import type { TokenRequest } from "../../support/token-endpoint";
import { recordOf, SECRET } from "./record";
import { type Flow, type Place, type ProviderSite, startProviderSite } from "./site";
import { type Row, ROWS, type Sent } from "./table";

const TWO_HOURS = 2 * 3600_000;

test("the table has at least 40 rows, each with a name of its own", () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});

describe("a provider with", () => {
  test.each([...ROWS])("$name", async (row) => {
    await using site = await startProviderSite();
    site.script(row.says);
    const created = await site.addProvider(recordOf(site.deployment.idp.url, row));
    expect(created.status).toBe(201);

    const flow = await site.consent("alice", row.scopes);

    await checkConsent(site, flow, row.expects);
    await checkLater(site, row.expects);
    for (const [place, sent] of Object.entries(row.expects.sent ?? {})) {
      // The keys of the record are the places.
      checkSent(site.sent(place as Place), sent);
    }
    // Neither answers nor log know a secret.
    const told = [created.text, flow.state.text, await flow.page.text(), ...site.deployment.logLines];
    expect(told.join("\n")).not.toContain(SECRET);
    expect(told.join("\n")).not.toContain("T+/=&");
  });
});

async function checkConsent(site: ProviderSite, flow: Flow, expects: Row["expects"]): Promise<void> {
  const { body } = flow.state;
  const told = { status: at(body, "status"), reason: String(at(body, "status_reason") ?? "") };
  expect(told).toEqual({
    status: expects.status ?? "completed",
    reason: expect.stringContaining(expects.reason ?? ""),
  });
  if (expects.nothing) return expect(await site.connections()).toEqual([]);
  const row = await site.row("alice");
  if (expects.granted !== undefined) expect(JSON.parse(row.scopes)).toEqual([...expects.granted]);
  if (expects.refreshable !== undefined) expect(row.has_refresh === 1).toBe(expects.refreshable);
  if (expects.life === null) expect(row.expires_at).toBeNull();
  else if (expects.life !== undefined) {
    const life = ((row.expires_at ?? 0) - row.created_at) / 1000;
    expect(life).toBeLessThanOrEqual(expects.life + 1);
    expect(life).toBeGreaterThan(expects.life - 5);
  }
  if (expects.userInfo !== undefined) await checkUserInfo(site, flow.id, expects.userInfo);
}

async function checkUserInfo(site: ProviderSite, id: string, userInfo: unknown): Promise<void> {
  const shown = userInfo === null ? undefined : userInfo;
  const { body } = await site.agent.get(`/v1/auth/status?id=${id}`);
  const [connection] = await site.connections();
  expect(at(body, "context.user_info")).toEqual(shown);
  expect(at(connection, "provider_user_info")).toEqual(shown);
}

async function checkLater(site: ProviderSite, expects: Row["expects"]): Promise<void> {
  const { later, grantedLater, userInfoLater } = expects;
  if (later === undefined) {
    // Both are looked at after the later call only.
    expect([grantedLater, userInfoLater]).toEqual([undefined, undefined]);
    return;
  }
  const { clock, platform } = site.deployment;
  clock.move(TWO_HOURS);
  const answer = await site.execute("alice");
  expect([answer.status, platform.tokens()]).toEqual(later === null ? [403, []] : [200, [later]]);
  if (later === null) {
    const { body } = await site.agent.post("/v1/tools/requirements", {
      tool_names: ["Test.Call"],
      user_id: "alice",
    });
    expect(at(body, "met")).toBe(false);
  }
  if (grantedLater !== undefined)
    expect(JSON.parse((await site.row("alice")).scopes)).toEqual([...grantedLater]);
  if (userInfoLater !== undefined) {
    const [connection] = await site.connections();
    expect(at(connection, "provider_user_info")).toEqual(userInfoLater);
  }
}

function checkSent(requests: TokenRequest[], sent: Sent): void {
  expect(requests).toHaveLength(sent.times ?? 1);
  for (const request of requests) {
    const params = {
      ...Object.fromEntries(new URL(request.address, "http://x").searchParams),
      ...request.params,
    };
    if (sent.method !== undefined) expect(request.method).toBe(sent.method);
    if (sent.type !== undefined) expect(request.headers.get("content-type")).toContain(sent.type);
    if (sent.authorization !== undefined) expect(authorizationOf(request)).toBe(sent.authorization);
    for (const name of sent.without ?? []) expect(Object.keys(params)).not.toContain(name);
    for (const [name, value] of Object.entries(sent.params ?? {})) {
      if (typeof value === "string") expect({ [name]: params[name] }).toEqual({ [name]: value });
      else expect(params[name] ?? "").toMatch(value);
    }
    expect(request.address.split("?").length).toBeLessThanOrEqual(2);
    expect(shownIn(request, params)).toBeLessThanOrEqual(1);
    if (sent.signedBy !== undefined) checkAssertion(params, sent.signedBy);
  }
}

function authorizationOf({ headers }: TokenRequest): string | null {
  const value = headers.get("authorization");
  if (value === null || !value.startsWith("Basic ")) return value;
  return `Basic ${Buffer.from(value.slice("Basic ".length), "base64").toString("utf8")}`;
}

/** In how many places the client shows who it is. */
function shownIn(request: TokenRequest, params: Readonly<Record<string, string>>): number {
  const header = /^(Basic|Key) /.test(request.headers.get("authorization") ?? "");
  const body = Object.values(params).includes(SECRET);
  return [header, body, "client_assertion" in params].filter(Boolean).length;
}

function checkAssertion(
  params: Readonly<Record<string, string>>,
  { key, algorithm }: NonNullable<Sent["signedBy"]>,
): void {
  expect(params["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  const [header = "", claims = "", signature = ""] = (params["client_assertion"] ?? "").split(".");
  const hash = `sha${algorithm.slice(2)}`;
  const given = Buffer.from(signature, "base64url");
  const text = Buffer.from(`${header}.${claims}`);
  expect(verify(hash, text, { key, dsaEncoding: "ieee-p1363" }, given)).toBe(true);
  expect(decoded(header)).toMatchObject({ alg: algorithm });
  const now = Date.now() / 1000;
  const { iss, sub, aud, exp, jti } = decoded(claims);
  expect([iss, sub]).toEqual(["cl:ient", "cl:ient"]);
  expect(String(aud)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(token|refresh)$/);
  expect(typeof jti).toBe("string");
  // The clock of the test has moved ahead of the one of the signature at most.
  expect(Number(exp)).toBeGreaterThan(now);
  expect(Number(exp)).toBeLessThan(now + 600);
}

function decoded(text: string): { [name: string]: unknown } {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
}
