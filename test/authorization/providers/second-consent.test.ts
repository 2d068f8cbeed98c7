// A second consent, over HTTP: of the same account it goes on with what there was, of another one it begins anew.
import { describe, expect, test } from "bun:test";
import { query } from "../../../src/store";
import { at } from "../../support/api";
import { recordOf } from "./record";
import { type ProviderSite, startProviderSite } from "./site";

const TWO_HOURS = 2 * 3600_000;
const AUDITED = query<{ action: string; actor: string; target: string }>(
  "SELECT action, actor, target FROM audit WHERE action LIKE 'connection.%' ORDER BY number",
);

function idToken(sub: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub, aud: "cl:ient", iat: now, exp: now + 3600 };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

/** How a provider says whose grant it is. */
const NAMINGS: [string, object, (who: string) => { token: object; info: object }][] = [
  [
    "its token answer",
    { record: { provider_id: "known" } },
    (who) => ({ token: { account: { id: who } }, info: {} }),
  ],
  ["its ID token", {}, (who) => ({ token: { id_token: idToken(who) }, info: {} })],
  [
    "its user info (sub)",
    { oauth2: { user_info_request: {} } },
    (who) => ({ token: {}, info: { sub: who, name: "Alice" } }),
  ],
  [
    "its user info (id)",
    { oauth2: { user_info_request: {} } },
    (who) => ({ token: {}, info: { id: who.length, login: who } }),
  ],
];

/** Alice consents as one account, then as another or the same, which brings no refresh token. */
async function twice(
  changes: object,
  answers: (who: string) => { token: object; info: object },
  [first, second]: [string, string],
): Promise<ProviderSite> {
  const site = await startProviderSite();
  await site.addProvider(recordOf(site.deployment.idp.url, changes));
  const consentOf = async (who: string, grant: object, scopes: string[]): Promise<void> => {
    const { token, info } = answers(who);
    site.script({
      token: { body: { ...grant, ...token, expires_in: 3600 } },
      "user-info": { body: info },
      refresh: { body: { access_token: "T3", expires_in: 3600 } },
    });
    const { state } = await site.consent("alice", scopes);
    expect(at(state.body, "status")).toBe("completed");
  };
  await consentOf(first, { access_token: "T1", refresh_token: "R1", scope: "a b c" }, ["a", "b"]);
  await consentOf(second, { access_token: "T2", scope: "a b d" }, ["a", "b", "d"]);
  return site;
}

describe.each(NAMINGS)("at a provider that names the account in %s", (_name, changes, answers) => {
  test("the same account keeps its refresh token and its connection", async () => {
    await using site = await twice(changes, answers, ["U1", "U1"]);
    site.deployment.clock.move(TWO_HOURS);

    expect((await site.execute("alice")).status).toBe(200);
    expect(site.sent("refresh").map(({ params }) => params["refresh_token"])).toEqual(["R1"]);
    expect(await site.deployment.runtime.core.store.all(AUDITED)).toEqual([]);
    expect(await site.connections()).toHaveLength(1);
  });

  test("another account gets nothing of the first, and is audited", async () => {
    await using site = await twice(changes, answers, ["U1", "U22"]);
    const [connection] = await site.connections();
    const id = String(at(connection, "id"));
    expect(at(connection, "scopes")).toEqual(["a", "b", "d"]);
    expect((await site.row("alice")).has_refresh).toBe(0);
    site.deployment.clock.move(TWO_HOURS);

    expect((await site.execute("alice")).status).toBe(403);
    expect(site.sent("refresh")).toEqual([]);
    expect(await site.deployment.runtime.core.store.all(AUDITED)).toEqual([
      {
        action: "connection.account_changed",
        actor: expect.stringMatching(/^user:ps_[0-9a-f]{32}$/),
        target: id,
      },
    ]);
  });
});

test("a second consent asks for what is granted and what is needed, apart where the record does", async () => {
  await using site = await startProviderSite();
  const params = {
    client_id: "{{client_id}}",
    redirect_uri: "{{redirect_uri}}",
    scope: "{{scopes}}",
    had: "{{existing_scopes}}",
  };
  const oauth2 = {
    authorize_request: { params },
    token_request: { params: { scope: "{{scopes}}", had: "{{existing_scopes}}" } },
  };
  await site.addProvider(recordOf(site.deployment.idp.url, { oauth2 }));
  site.script({ token: { body: { access_token: "T" } } });
  await site.consent("alice", ["a"]);
  const { state } = await site.consent("alice", ["b"]);

  const [first, second] = site.sent("authorize").map(({ params: sent }) => [sent["scope"], sent["had"]]);
  expect([first, second]).toEqual([
    ["a", undefined],
    ["b", "a"],
  ]);
  expect(site.sent("token")[1]?.params).toMatchObject({ scope: "a b", had: "a" });
  expect(at(state.body, "scopes")).toEqual(["a", "b"]);
});

describe("a consent in which the person drops a scope", () => {
  test("has failed with the scope in its reason; a tool that needs what was granted works", async () => {
    await using site = await startProviderSite();
    await site.addProvider(recordOf(site.deployment.idp.url));
    site.script({ token: { body: { access_token: "T", refresh_token: "R", expires_in: 3600, scope: "a" } } });
    const { state, page } = await site.consent("alice");

    expect(state.body).toMatchObject({ status: "failed", status_reason: "the user did not grant b" });
    expect(await page.text()).toContain("You did not grant everything that is needed. Missing: b.");
    expect((await site.execute("alice", "Test.Narrow")).status).toBe(200);
    const refused = await site.execute("alice", "Test.Call");
    expect([refused.status, refused.text.includes("(b)")]).toEqual([403, true]);
    expect(site.deployment.platform.tokens()).toEqual(["T"]);
  });
});

describe("what user info gave", () => {
  test("is in the answer to a consent that was given before, under either id", async () => {
    await using site = await startProviderSite();
    await site.addProvider(recordOf(site.deployment.idp.url, { oauth2: { user_info_request: {} } }));
    site.script({ token: { body: { access_token: "T" } }, "user-info": { body: { sub: "U1" } } });
    await site.consent("alice");
    const auth_requirement = { id: "idp", oauth2: { scopes: ["a"] } };
    const again = await site.agent.post("/v1/auth/authorize", { auth_requirement, user_id: "alice" });
    const byId = await site.agent.get(`/v1/auth/status?id=${String(at(again.body, "id"))}`);

    const context = { user_info: { sub: "U1" } };
    expect(again.body).toMatchObject({ status: "completed", context });
    expect(byId.body).toMatchObject({ status: "completed", context });
  });
});

describe("a refresh whose user info is slow", () => {
  test("stores its tokens before the request for user info", async () => {
    await using site = await startProviderSite();
    const triggers = { on_token_grant: false, on_token_refresh: true };
    const oauth2 = { user_info_request: { triggers } };
    await site.addProvider(recordOf(site.deployment.idp.url, { oauth2 }));
    const seen: number[] = [];
    site.script({
      token: { body: { access_token: "T", refresh_token: "R", expires_in: 3600 } },
      refresh: { body: { access_token: "T2", refresh_token: "R2", expires_in: 3600 } },
      "user-info": async () => {
        seen.push((await site.row("alice")).version);
        return { body: { sub: "U1" } };
      },
    });
    await site.consent("alice");
    const before = (await site.row("alice")).version;
    site.deployment.clock.move(TWO_HOURS);

    expect((await site.execute("alice")).status).toBe(200);
    expect(seen).toEqual([before + 1]);
  });
});
