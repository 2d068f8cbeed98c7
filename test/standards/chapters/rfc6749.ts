// OAuth 2.0: we are the client of providers.
import { expect } from "bun:test";
import { at } from "../../support/api";
import type { TokenRequest } from "../../support/token-endpoint";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import { CLIENT, type Consent } from "../provider";
import { completes, fails, refusesRecord, rotates } from "./consents";
import { SECRET } from "../../authorization/providers/record";

/** Looks at the authorization request of the standard consent. */
function authorizing(look: (query: URLSearchParams, request: TokenRequest) => unknown): Proof {
  return async (world) => {
    const { site } = await (await world.provider()).standard();
    const [request] = site.sent("authorize");
    await look(new URL(request?.address ?? "", "http://x").searchParams, request as TokenRequest);
  };
}

/** Looks at the token request of a consent with this authentication. */
function exchanging(look: (request: TokenRequest) => unknown, token_request: object = {}): Proof {
  return async (world) => {
    const { site } = await (await world.provider()).consent({}, { token_request });
    expect(site.sent("token")).toHaveLength(1);
    await look(site.sent("token")[0] as TokenRequest);
  };
}

const basic = (request: TokenRequest): string =>
  atob((request.headers.get("authorization") ?? "").replace(/^Basic /, ""));
const BASIC = { auth_method: "client_secret_basic" };
const stored = ({ site }: Consent) => site.connections();

export const rfc6749: Chapter = {
  id: "RFC 6749",
  title: "The OAuth 2.0 Authorization Framework",
  url: "https://www.rfc-editor.org/rfc/rfc6749",
  rows: [
    must(
      "2.3",
      "a client uses one authentication method in a request: the header only",
      exchanging((request) => {
        expect(request.params["client_secret"]).toBeUndefined();
        expect(request.headers.get("authorization")).toStartWith("Basic ");
      }, BASIC),
    ),
    must(
      "2.3",
      "a client uses one authentication method in a request: the body only",
      exchanging(
        (request) => {
          expect(request.headers.get("authorization")).toBeNull();
          expect(request.params["client_secret"]).toBe(SECRET);
        },
        { auth_method: "client_secret_post" },
      ),
    ),
    must(
      "2.3.1",
      "id and secret are form-encoded before they are joined for Basic",
      exchanging((request) => {
        const form = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
        expect(basic(request)).toBe(`${form(CLIENT)}:${form(SECRET)}`);
      }, BASIC),
    ),
    mustNot(
      "2.3.1",
      "credentials of the client are in the address of a request",
      exchanging((request) => {
        expect(request.address).not.toContain("secret");
        expect(decodeURIComponent(request.address)).not.toContain(SECRET);
      }),
    ),
    mustNot(
      "3.1",
      "the address of the authorization endpoint has a fragment",
      refusesRecord({ authorize_request: { endpoint: "/authorize#x" } }, "fragment"),
    ),
    must("3.1", "a query of the authorization endpoint is kept", async (world) => {
      const { site } = await (
        await world.provider()
      ).consent({}, { authorize_request: { endpoint: "/authorize?tenant=a%20b" } });
      expect(new URL(site.sent("authorize")[0]?.address ?? "", "http://x").searchParams.get("tenant")).toBe(
        "a b",
      );
    }),
    mustNot(
      "3.1",
      "a parameter is sent more than once",
      authorizing((query) => {
        expect([...query.keys()]).toEqual([...new Set(query.keys())]);
      }),
    ),
    mustNot("3.1", "a parameter of a callback that occurs twice is accepted", async (world) => {
      const { site } = await (await world.provider()).standard();
      const response = await fetch(`${site.url}/api/v1/oauth/idp/callback?state=a&state=b&code=c`);
      expect(response.status).toBe(400);
    }),
    mustNot(
      "3.2",
      "the address of the token endpoint has a fragment",
      refusesRecord({ token_request: { endpoint: "/token#x" } }, "fragment"),
    ),
    mustNot(
      "3.2",
      "the address of another endpoint has a fragment",
      refusesRecord({ revoke_request: { endpoint: "/revoke#x" } }, "fragment"),
    ),
    must(
      "3.2",
      "a token request is a POST",
      exchanging((request) => expect(request.method).toBe("POST")),
    ),
    must(
      "3.1.2",
      "the redirect address is absolute, without a fragment",
      authorizing((query) => {
        const redirect = query.get("redirect_uri") ?? "";
        expect([URL.canParse(redirect), redirect.includes("#")]).toEqual([true, false]);
      }),
    ),
    must(
      "3.3",
      "scopes are separated by spaces",
      authorizing((query) => expect(query.get("scope")).toBe("a b")),
    ),
    must(
      "4.1.1",
      "an authorization request has response_type=code",
      authorizing((query) => expect(query.get("response_type")).toBe("code")),
    ),
    must(
      "4.1.1",
      "an authorization request names the client",
      authorizing((query) => expect(query.get("client_id")).toBe(CLIENT)),
    ),
    should(
      "4.1.1",
      "an authorization request has a state",
      authorizing((query) => expect((query.get("state") ?? "").length).toBeGreaterThan(30)),
    ),
    must("10.10", "a state cannot be guessed: two consents have different ones", async (world) => {
      const provider = await world.provider();
      const stateOf = ({ site }: Consent) =>
        new URL(site.sent("authorize")[0]?.address ?? "", "http://x").searchParams.get("state");
      expect(stateOf(await provider.consent())).not.toBe(stateOf(await provider.consent()));
    }),
    must(
      "4.1.2",
      "an unknown parameter of a callback is ignored",
      completes({ callback: { code: "C", session_state: "x" } }),
    ),
    must("4.1.2", "a state that is not ours is refused", async (world) => {
      const { site } = await (await world.provider()).standard();
      const response = await fetch(`${site.url}/api/v1/oauth/idp/callback?state=made-up&code=C`);
      expect(response.status).toBeGreaterThanOrEqual(400);
    }),
    mustNot("4.1.2", "a code is used twice", async (world) => {
      const { site } = await (await world.provider()).consent();
      expect(site.sent("token")).toHaveLength(1);
    }),
    must(
      "4.1.2.1",
      "an error of a callback ends the consent",
      fails({ callback: { error: "access_denied" } }, ""),
    ),
    mustNot("4.1.2.1", "a callback with an error leads to a token request", async (world) => {
      const { site } = await (await world.provider()).consent({ callback: { error: "server_error" } });
      expect(site.sent("token")).toEqual([]);
    }),
    must(
      "4.1.3",
      "a token request has grant_type=authorization_code",
      exchanging(({ params }) => expect(params["grant_type"]).toBe("authorization_code")),
    ),
    must(
      "4.1.3",
      "a token request has the code",
      exchanging(({ params }) => expect(params["code"]).toBe("C")),
    ),
    must("4.1.3", "a token request has the redirect address of the authorization request", async (world) => {
      const { site } = await (
        await world.provider()
      )
        .standard()
        .then(() => world.provider())
        .then((provider) => provider.consent());
      const asked = new URL(site.sent("authorize")[0]?.address ?? "", "http://x").searchParams.get(
        "redirect_uri",
      );
      expect(site.sent("token")[0]?.params["redirect_uri"]).toBe(asked ?? "");
    }),
    must("4.1.3", "a client without a secret names itself in the token request", async (world) => {
      const { site } = await (await world.provider()).consent({}, { client_secret: null });
      expect(site.sent("token")[0]?.params["client_id"]).toBe(CLIENT);
    }),
    must(
      "4.1.3",
      "a token request is form-encoded",
      exchanging(({ headers }) =>
        expect(headers.get("content-type")).toStartWith("application/x-www-form-urlencoded"),
      ),
    ),
    must(
      "5.1",
      "an answer without an access token gives no grant",
      fails({ token: { body: { token_type: "Bearer" } } }, "no_access_token"),
    ),
    must(
      "5.1",
      "the token type is compared without case",
      completes({ token: { body: { access_token: "T", token_type: "bEARER", scope: "a b" } } }),
    ),
    must(
      "5.1",
      "unknown members of the answer are ignored",
      completes({
        token: { body: { access_token: "T", token_type: "Bearer", scope: "a b", more: { x: 1 } } },
      }),
    ),
    must(
      "5.1",
      "the granted scopes are those of the answer",
      fails({ token: { body: { access_token: "T", token_type: "Bearer", scope: "a" } } }, "b"),
    ),
    must(
      "5.1",
      "without scope in the answer, the requested scopes are granted",
      completes({ token: { body: { access_token: "T", token_type: "Bearer" } } }),
    ),
    should("5.1", "expires_in sets the life of the token", async (world) => {
      const provider = await world.provider();
      await provider.answers({ expires_in: 600 });
      const row = await provider.site.row(provider.lastUser);
      expect(Number(row.expires_at)).toBeLessThanOrEqual(Date.now() + 600_000);
    }),
    must(
      "5.2",
      "an error answer gives no grant",
      fails({ token: { status: 400, body: { error: "invalid_grant" } } }, "invalid_grant"),
    ),
    mustNot("5.2", "the description of an error is shown to users as it came", async (world) => {
      const { reason } = await (
        await world.provider()
      ).consent({
        token: { status: 400, body: { error: "invalid_grant", error_description: "canary<script>" } },
      });
      expect(reason).not.toContain("canary");
    }),
    must(
      "6",
      "a refresh has grant_type=refresh_token and the refresh token",
      rotates(({ site }) => {
        expect(site.sent("refresh")[0]?.params).toMatchObject({
          grant_type: "refresh_token",
          refresh_token: "R",
        });
      }),
    ),
    must(
      "6",
      "a refresh is authenticated like the token request",
      rotates(({ site }) => {
        expect(site.sent("refresh")[0]?.params["client_secret"]).toBe(SECRET);
      }),
    ),
    mustNot(
      "6",
      "a refresh asks for scopes that were not granted",
      rotates(({ site }) => {
        expect(site.sent("refresh")[0]?.params["scope"]).toBeUndefined();
      }),
    ),
    must(
      "6",
      "a new refresh token replaces the old one",
      rotates(
        async ({ site }, provider) => {
          site.deployment.clock.move(2 * 3_600_000);
          await site.execute(provider.lastUser);
          expect(site.sent("refresh").at(-1)?.params["refresh_token"]).toBe("R2");
        },
        { refresh_token: "R2" },
      ),
    ),
    must(
      "6",
      "without a new refresh token the old one stays",
      rotates(async ({ site }, provider) => {
        site.deployment.clock.move(2 * 3_600_000);
        await site.execute(provider.lastUser);
        expect(site.sent("refresh").at(-1)?.params["refresh_token"]).toBe("R");
      }),
    ),
    mustNot(
      "7.1",
      "a token of the type DPoP is used",
      fails(
        { token: { body: { access_token: "T", token_type: "DPoP", scope: "a b" } } },
        "unsupported_token_type",
      ),
    ),
    mustNot(
      "7.1",
      "a token of the type mac is used",
      fails(
        { token: { body: { access_token: "T", token_type: "mac", scope: "a b" } } },
        "unsupported_token_type",
      ),
    ),
    mustNot("10.3", "an access token is shown to a caller of the API", async (world) => {
      const consent = await (await world.provider()).standard();
      expect(JSON.stringify([await stored(consent), consent.flow.state.body])).not.toMatch(/"T"|"R"/);
    }),
    must("10.5", "a code is sent to the token endpoint only", async (world) => {
      const { site } = await (await world.provider()).consent({ callback: { code: "canary-code" } });
      const others = site.deployment.idp.requests.filter(({ address }) => !address.startsWith("/token"));
      expect(JSON.stringify(others)).not.toContain("canary-code");
      expect(at(site.sent("token")[0], "params.code")).toBe("canary-code");
    }),
    must("10.12", "a callback in another browser is refused", async (world) => {
      const provider = await world.provider();
      const { site } = await provider.consent();
      const { body } = await site.agent.post("/v1/auth/authorize", {
        auth_requirement: { id: "idp", oauth2: { scopes: ["c"] } },
        user_id: provider.lastUser,
      });
      const opened = await fetch(String(at(body, "url")), { redirect: "manual" });
      const sent = await fetch(opened.headers.get("location") ?? "", { redirect: "manual" });
      const before = site.sent("token").length;
      await fetch(sent.headers.get("location") ?? "");
      expect(site.sent("token").length).toBe(before);
    }),
  ],
};
