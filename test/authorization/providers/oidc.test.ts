// The whole code flow against a certified provider (`oidc-provider`), from a record that knows only its issuer.
import { describe, expect, test } from "bun:test";
import { openTokens } from "../../../src/connections/tokens";
import { at } from "../../support/api";
import {
  CLIENT_SECRET,
  type ClientKind,
  finish,
  link,
  type OpenIdConsent,
  PRIVATE_PART,
  SCOPES,
  startProvider,
  toCallback,
  withOpenId,
} from "./openid-site";

const TWO_HOURS = 2 * 3600_000;
const PATHS = { token: "/token", userInfo: "/me", revocation: "/token/revocation" };

function count({ provider }: OpenIdConsent, path: string): number {
  return provider.requests.filter((one) => one === path).length;
}

/** The pair that is stored for alice. */
async function pairOf({ site }: OpenIdConsent): Promise<string[]> {
  const { keyring } = site.deployment.runtime.core;
  const { accessToken, refreshToken } = await openTokens(keyring, await site.row("alice"));
  return [accessToken.reveal(), refreshToken?.reveal() ?? ""];
}

describe.each<[ClientKind]>([
  ["client_secret_basic"],
  ["client_secret_post"],
  ["private_key_jwt"],
  ["public"],
])("a client of kind %s", (kind) => {
  const options = kind === "client_secret_post" ? { clientAuthentication: kind } : {};

  test("consents, executes, refreshes with rotation, and revokes", async () => {
    await withOpenId(async (consent) => {
      const { site } = consent;
      const record = await link(consent, { kind });
      const { state } = await finish(consent, await toCallback(consent));
      expect(state.body).toMatchObject({
        status: "completed",
        scopes: expect.arrayContaining(SCOPES),
        context: { user_info: { sub: "alice", email: "alice@example.com" } },
      });

      const pairs = [await pairOf(consent)];
      for (let round = 0; round < 3; round++) {
        site.deployment.clock.move(TWO_HOURS);
        const answers = await Promise.all([1, 2, 3].map(() => site.execute("alice")));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        pairs.push(await pairOf(consent));
      }
      // One exchange and three refreshes. Was a used token ever shown, the provider would have ended the grant.
      expect(count(consent, PATHS.token)).toBe(4);
      expect(new Set(pairs.map(([, refresh]) => refresh)).size).toBe(4);
      expect(new Set(site.deployment.platform.tokens())).toEqual(
        new Set(pairs.slice(1).map(([access = ""]) => access)),
      );
      expect(count(consent, PATHS.userInfo)).toBe(1);

      const [connection] = await site.connections();
      const removed = await site.admin.delete(`/v1/admin/user_connections/${String(at(connection, "id"))}`);
      const log = site.deployment.logLines.join("\n");
      expect([removed.status, count(consent, PATHS.revocation)]).toEqual([204, 1]);
      expect(log).not.toContain("was not revoked");
      // The provider takes its word back: the last access token no longer says who it is of.
      const me = await fetch(`${consent.provider.url}${PATHS.userInfo}`, {
        headers: { authorization: `Bearer ${pairs.at(-1)?.[0]}` },
      });
      expect(me.status).toBe(401);

      const told = [record.text, state.text, removed.text, log].join("\n");
      for (const secret of [...pairs.flat(), CLIENT_SECRET, PRIVATE_PART]) expect(told).not.toContain(secret);
    }, options);
  });
});

test("discovery fills the record, which shows the result", async () => {
  await withOpenId(async (consent) => {
    const { url } = consent.provider;
    const { body } = await link(consent);

    expect(at(body, "oauth2")).toMatchObject({
      issuer: url,
      authorization_response_iss_parameter_supported: true,
      authorize_request: { endpoint: `${url}/auth` },
      token_request: { endpoint: `${url}/token`, auth_method: "client_secret_basic" },
      refresh_request: { endpoint: `${url}/token`, auth_method: "client_secret_basic" },
      user_info_request: {
        endpoint: `${url}/me`,
        triggers: { on_token_grant: true, on_token_refresh: false },
      },
      revoke_request: { endpoint: `${url}/token/revocation` },
      client_secret: { exists: true },
    });
  });
});

test("fields of the record override discovery", async () => {
  await withOpenId(async ({ site, provider }) => {
    const stated = {
      token_request: { endpoint: "https://relay.example/token", auth_method: "client_secret_post" },
      user_info_request: {
        endpoint: "https://relay.example/me",
        triggers: { on_token_grant: false, on_token_refresh: false },
      },
    };
    const oauth2 = { client_id: "c", issuer: provider.url, ...stated };
    const { body } = await site.addProvider({ id: "idp", oauth2 });

    expect(at(body, "oauth2")).toMatchObject({
      ...stated,
      authorize_request: { endpoint: `${provider.url}/auth` },
      refresh_request: { endpoint: "https://relay.example/token", auth_method: "client_secret_post" },
    });
  });
});

test("the provider enforces PKCE: a consent without it has failed with a reason", async () => {
  await withOpenId(async (consent) => {
    await link(consent);
    await consent.site.admin.patch("/v1/admin/auth_providers/idp", { oauth2: { pkce: { enabled: false } } });
    const { state } = await finish(consent, await toCallback(consent));

    expect(state.body).toMatchObject({
      status: "failed",
      status_reason: "the provider answered invalid_request",
    });
  });
});

describe("the issuer in a callback (RFC 9207)", () => {
  test("that is the record's, but for the slash at the end of its name, is right", async () => {
    await withOpenId(async (consent) => {
      await link(consent, { issuer: `${consent.provider.url}/` });
      const at = await toCallback(consent);

      expect(at.callback.searchParams.get("iss")).toBe(consent.provider.url);
      expect((await finish(consent, at)).state.body).toMatchObject({ status: "completed" });
    });
  });

  test.each<[string, (issuer: string) => string | undefined]>([
    ["foreign", () => "https://attacker.example"],
    ["the same with a path", (issuer) => `${issuer}/realm`],
    ["a template of it", () => "http://127.0.0.1:{port}"],
    ["empty", () => ""],
    ["absent, though the provider names it always", () => undefined],
  ])("that is %s is refused, and the code is not sent", async (_name, iss) => {
    await withOpenId(async (consent) => {
      await link(consent);
      const at = await toCallback(consent);
      const named = iss(consent.provider.url);
      if (named === undefined) at.callback.searchParams.delete("iss");
      else at.callback.searchParams.set("iss", named);
      const { state, page } = await finish(consent, at);

      expect(state.body).toMatchObject({
        status: "failed",
        status_reason: expect.stringContaining("another issuer"),
      });
      expect(await page.text()).not.toContain("attacker");
      expect(count(consent, PATHS.token)).toBe(0);
      expect(await consent.site.connections()).toEqual([]);
    });
  });
});

describe("a mix-up of two providers", () => {
  test("that leads to the other one's redirect address is refused there", async () => {
    await withOpenId(async (consent) => {
      await using second = await startProvider();
      const other = { site: consent.site, provider: second };
      await link(consent);
      await link(other, { id: "other" });
      const mine = await toCallback(consent);
      const theirs = await toCallback(other, "alice", "other");
      const callback = new URL(theirs.callback.pathname + mine.callback.search, consent.site.url);

      expect((await mine.browser.open(callback.href)).status).toBe(400);
      expect([count(consent, PATHS.token), count(other, PATHS.token)]).toEqual([0, 0]);
      // Each at its own place still works.
      expect((await finish(consent, mine)).state.body).toMatchObject({ status: "completed" });
      expect((await finish(other, theirs)).state.body).toMatchObject({ status: "completed" });
    });
  });

  test("that brings the other one's code and issuer is refused before the code leaves", async () => {
    await withOpenId(async (consent) => {
      await using second = await startProvider();
      const other = { site: consent.site, provider: second };
      await link(consent);
      await link(other, { id: "other" });
      const mine = await toCallback(consent);
      const theirs = await toCallback(other, "alice", "other");
      for (const name of ["code", "iss"]) {
        mine.callback.searchParams.set(name, theirs.callback.searchParams.get(name) ?? "");
      }

      expect((await finish(consent, mine)).state.body).toMatchObject({ status: "failed" });
      expect([count(consent, PATHS.token), count(other, PATHS.token)]).toEqual([0, 0]);
    });
  });
});
