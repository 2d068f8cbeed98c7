// OpenID Connect: ID tokens and user info of the providers that users connect, and discovery.
import { expect } from "bun:test";
import { startIdp, OPENID_DOCUMENT } from "../idp";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import { CLIENT, idToken } from "../provider";
import { startSite } from "../../support/site";
import { completes, fails } from "./consents";

const now = (): number => Math.floor(Date.now() / 1000);
const USER_INFO = {
  user_info_request: { endpoint: "/user-info", triggers: { on_token_grant: true, on_token_refresh: false } },
};
const ISSUER = { issuer: "https://idp.example" };

/** A token answer with an ID token that has these claims. */
const answer = (claims: Record<string, unknown>, token = idToken(claims)) => ({
  token: {
    body: { access_token: "T", refresh_token: "R", token_type: "Bearer", scope: "a b", id_token: token },
  },
});
const accepted = (claims: Record<string, unknown>, changes: object = {}): Proof =>
  completes(answer(claims), { ...changes });
const refused = (claims: Record<string, unknown>, reason: string, changes: object = {}): Proof =>
  fails(answer(claims), reason, { ...changes });

/** What is stored of user info. */
function stores(script: object, wanted: unknown): Proof {
  return completes(script, USER_INFO, async ({ flow, site }) => {
    const { body } = await site.admin.get(`/v1/auth/status?id=${flow.id}`);
    expect(Object(Object(body).context)).toBeDefined();
    const [connection] = (await site.connections()).slice(-1);
    expect(Object(connection).provider_user_info).toEqual(wanted);
  });
}

export const core: Chapter = {
  id: "OpenID Connect Core",
  title: "OpenID Connect Core 1.0",
  url: "https://openid.net/specs/openid-connect-core-1_0.html",
  rows: [
    must("2", "an ID token has a subject", refused({ sub: undefined }, "subject")),
    must("2", "the subject of an ID token is a text", refused({ sub: 7 }, "subject")),
    must("2", "an ID token has an audience", refused({ aud: undefined }, "audience")),
    must("2", "an ID token has an end", refused({ exp: undefined }, "expired")),
    must("2", "an ID token has a time of issue", refused({ iat: undefined }, "not valid yet")),
    must(
      "3.1.3.7",
      "the issuer is the one of discovery",
      refused({ iss: "https://evil.example" }, "another issuer", ISSUER),
    ),
    must(
      "3.1.3.7",
      "the issuer is compared character by character",
      refused({ iss: "https://idp.example/" }, "another issuer", ISSUER),
    ),
    must(
      "3.1.3.7",
      "an ID token without an issuer is refused where one is known",
      refused({}, "another issuer", ISSUER),
    ),
    must(
      "3.1.3.7",
      "an ID token of the right issuer is accepted",
      accepted({ iss: "https://idp.example" }, ISSUER),
    ),
    must("3.1.3.7", "the audience has our client", refused({ aud: "other" }, "audience")),
    must(
      "3.1.3.7",
      "the audience is compared case by case",
      refused({ aud: CLIENT.toUpperCase() }, "audience"),
    ),
    must("3.1.3.7", "a list with our client only is accepted", accepted({ aud: [CLIENT] })),
    mustNot(
      "3.1.3.7",
      "further audiences without azp are accepted",
      refused({ aud: [CLIENT, "other"] }, "another client"),
    ),
    should("3.1.3.7", "azp is our client", refused({ azp: "other" }, "another client")),
    should(
      "3.1.3.7",
      "several audiences with azp for us are accepted",
      accepted({ aud: [CLIENT, "other"], azp: CLIENT }),
    ),
    must("3.1.3.7", "an ID token that has ended is refused", refused({ exp: now() - 600 }, "expired")),
    // Made when it runs: much of the suite may have run since this file was loaded.
    must("3.1.3.7", "a difference of the clocks of some seconds is forgiven", (world) =>
      accepted({ exp: now() - 5 })(world),
    ),
    must("3.1.3.7", "an ID token from the future is refused", refused({ iat: now() + 600 }, "not valid yet")),
    must("3.1.3.7", "a token that cannot be read is refused", fails(answer({}, "a.!.b"), "cannot be read")),
    must(
      "3.1.3.7",
      "a grant whose ID token is not valid is revoked, and nothing is stored",
      fails(
        answer({ aud: "other" }),
        "audience",
        { revoke_request: { endpoint: "/revoke", params: { token: "{{refresh_token}}" } } },
        async ({ site }) => {
          while (site.sent("revoke").length === 0) await Bun.sleep(5);
          expect(site.sent("revoke")[0]?.params["token"]).toBe("R");
        },
      ),
    ),
    must("3.1.3.3", "an answer without an ID token is a grant of OAuth", completes({})),
    must(
      "5.3.1",
      "the access token is in the header of a user info request",
      completes({ "user-info": { body: { sub: "u" } } }, USER_INFO, ({ site }) => {
        expect(site.sent("user-info")[0]?.headers.get("authorization")).toBe("Bearer T");
        expect(site.sent("user-info")[0]?.address).toBe("/user-info");
      }),
    ),
    must(
      "5.3.2",
      "user info of the subject of the ID token is stored",
      stores({ ...answer({}), "user-info": { body: { sub: "u", name: "Ann" } } }, { sub: "u", name: "Ann" }),
    ),
    mustNot(
      "5.3.2",
      "user info of another subject is used",
      stores({ ...answer({}), "user-info": { body: { sub: "other", name: "Eve" } } }, undefined),
    ),
    must(
      "5.3.3",
      "an error of the user info endpoint does not end the consent",
      completes({ "user-info": { status: 401, body: { error: "invalid_token" } } }, USER_INFO),
    ),
  ],
};

/** A sign-in or token verification with metadata of this kind. */
async function issuerOf(
  metadata: Record<string, unknown>,
  urlOf: (origin: string) => string = (origin) => origin,
) {
  const idp = startIdp({ metadata });
  const site = await startSite({ environment: { RUNTIME_AUTH_URL: urlOf(idp.origin) } });
  const response = await fetch(`${site.url}/v1/tools?limit=1`, {
    headers: { authorization: `Bearer ${idp.token(site.url)}` },
  });
  await site[Symbol.asyncDispose]();
  await idp[Symbol.asyncDispose]();
  return { status: response.status, requests: idp.requests };
}

export const discovery: Chapter = {
  id: "OpenID Connect Discovery",
  title: "OpenID Connect Discovery 1.0",
  url: "https://openid.net/specs/openid-connect-discovery-1_0.html",
  rows: [
    must("4", "the document is at the issuer and openid-configuration", async () =>
      expect((await issuerOf({})).requests[0]).toBe(OPENID_DOCUMENT),
    ),
    must("4.1", "a slash at the end of the issuer is removed before", async () =>
      expect((await issuerOf({}, (origin) => `${origin}/`)).requests[0]).toBe(OPENID_DOCUMENT),
    ),
    must("4.2", "a document with unknown members is accepted", async () =>
      expect((await issuerOf({ x_unknown: [1] })).status).toBe(200),
    ),
    must("4.3", "a document whose issuer is another one is refused", async () =>
      expect((await issuerOf({ issuer: "https://idp.example" })).status).toBe(401),
    ),
    must("4.3", "a document without an issuer is refused", async () =>
      expect((await issuerOf({ issuer: undefined })).status).toBe(401),
    ),
    must("4.3", "a document whose issuer is not a text is refused", async () =>
      expect((await issuerOf({ issuer: 7 })).status).toBe(401),
    ),
    must("3", "the keys are those at jwks_uri", async () =>
      expect((await issuerOf({})).requests).toContain("/jwks"),
    ),
    must("3", "without jwks_uri no token is accepted", async () =>
      expect((await issuerOf({ jwks_uri: undefined })).status).toBe(401),
    ),
  ],
};
