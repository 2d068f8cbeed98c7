// What is asked beside the token endpoint: who the user is, and what the token is good for.
import { SECRET } from "./record";
import type { Row } from "./table";

const GRANT = { body: { access_token: "T+/=&", refresh_token: "R", expires_in: 3600 } };
const NEXT = { body: { access_token: "T2", expires_in: 3600 } };
/** Administrators see these; the rest of an answer may be anything. */
const CLAIMS = { sub: "U1", name: "Alice" };
const PERSON = { sub: "U1", name: "Alice", teams: [{ id: "T1" }, { id: "T2" }] };
const ON_GRANT = { on_token_grant: true, on_token_refresh: false };
const ON_REFRESH = { on_token_grant: false, on_token_refresh: true };
const BASIC = "Basic cl%3Aient:a%2Bb%2Fc%3Ad%25e%3D";
const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

/** What introspection says of a grant that the token answer gave without a word. */
function introspected(name: string, fields: object, body: () => object, expects: Row["expects"]): Row {
  return {
    name: `introspection ${name}`,
    oauth2: { token_introspection_request: fields },
    says: {
      token: { body: { access_token: "T", refresh_token: "R" } },
      introspection: () => ({ body: body() }),
    },
    expects,
  };
}

export const QUESTIONS: readonly Row[] = [
  {
    name: "user info without a map: only the well-known claims, with the token as bearer",
    oauth2: { user_info_request: {} },
    says: { token: GRANT, "user-info": { body: PERSON } },
    expects: {
      userInfo: CLAIMS,
      sent: { "user-info": { method: "GET", authorization: "Bearer T+/=&" } },
    },
  },
  {
    name: "user info by a map",
    oauth2: {
      user_info_request: {
        response_map: { who: "$.sub", teams: "join('$.teams',',')", first: "$.teams[0].id", none: "$.x" },
      },
    },
    says: { token: GRANT, "user-info": { body: { ...PERSON, teams: ["T1", "T2"] } } },
    expects: { userInfo: { who: "U1", teams: "T1,T2" } },
  },
  {
    name: "user info by a map that finds the whole answer: only the well-known claims",
    oauth2: { user_info_request: { response_map: { all: "$" } } },
    says: { token: GRANT, "user-info": { body: PERSON } },
    expects: { userInfo: { all: CLAIMS } },
  },
  {
    name: "user info that is about no person: nothing is shown",
    oauth2: { user_info_request: {} },
    says: { token: GRANT, "user-info": { body: { root_password: "internal" } } },
    expects: { userInfo: null },
  },
  {
    name: "user info by POST as JSON, with a header of the provider's own form",
    oauth2: {
      user_info_request: {
        method: "POST",
        request_content_type: "application/json",
        auth_header_value_format: "token {{access_token}}",
        params: { client: "{{client_id}}", nothing: "{{refresh_token}}" },
      },
    },
    says: { token: GRANT, "user-info": { body: PERSON } },
    expects: {
      userInfo: CLAIMS,
      sent: {
        "user-info": {
          method: "POST",
          type: "application/json",
          authorization: "token T+/=&",
          params: { client: "cl:ient" },
          without: ["nothing", "client_secret"],
        },
      },
    },
  },
  {
    name: "user info with the token in the address, encoded, and no header",
    oauth2: {
      user_info_request: { endpoint: "/user-info?fields=id&access_token={{access_token}}", auth_method: "" },
    },
    says: { token: GRANT, "user-info": { body: PERSON } },
    expects: {
      userInfo: CLAIMS,
      sent: { "user-info": { authorization: null, params: { fields: "id", access_token: "T+/=&" } } },
    },
  },
  {
    name: "user info in a form",
    oauth2: { user_info_request: {} },
    says: {
      token: GRANT,
      "user-info": { type: "application/x-www-form-urlencoded", body: "id=7&name=Alice" },
    },
    expects: { userInfo: { id: "7", name: "Alice" } },
  },
  {
    name: "user info on refresh only",
    oauth2: { user_info_request: { triggers: ON_REFRESH } },
    says: { token: GRANT, refresh: NEXT, "user-info": { body: PERSON } },
    expects: {
      userInfo: null,
      later: "T2",
      userInfoLater: CLAIMS,
      sent: { "user-info": { authorization: "Bearer T2" } },
    },
  },
  {
    name: "user info on grant only: what was learned stays after a refresh",
    oauth2: { user_info_request: { triggers: ON_GRANT } },
    says: { token: GRANT, refresh: NEXT, "user-info": { body: PERSON } },
    expects: { later: "T2", userInfoLater: CLAIMS, sent: { "user-info": { times: 1 } } },
  },
  ...(
    [
      ["down", { status: 503, body: "down" }],
      ["breaking off", { resets: true }],
      ["a page of HTML", { type: "text/html", body: "<html>sign in</html>" }],
      ["a redirect, which is not followed", { status: 302, headers: { location: "/user-info?again" } }],
    ] as const
  ).map(([name, answer]): Row => ({
    name: `user info ${name}: the consent is not lost over that`,
    oauth2: { user_info_request: {} },
    says: { token: GRANT, "user-info": answer },
    expects: { granted: ["a", "b"], life: 3600, userInfo: null },
  })),
  introspected(
    "by the standard, with a date",
    { response_map: { expires_in: "$.exp", scope: "$.scope" } },
    () => ({ active: true, exp: inAnHour(), scope: "a b c" }),
    {
      granted: ["a", "b", "c"],
      life: 3600,
      sent: { introspection: { method: "POST", authorization: BASIC, params: { token: "T" } } },
    },
  ),
  introspected(
    "with seconds from now, as text, and scopes in a list",
    {
      expiration_format: "relative_seconds",
      response_map: { expires_in: "$.left", scope: "join('$.scopes',' ')" },
    },
    () => ({ left: "600", scopes: ["a", "b"] }),
    { granted: ["a", "b"], life: 600 },
  ),
  introspected(
    "by POST, with the secret in the body",
    { method: "POST", auth_method: "client_secret_post", params: { token: "{{access_token}}", hint: "x" } },
    () => ({ scope: "a b" }),
    {
      granted: ["a", "b"],
      sent: {
        introspection: {
          method: "POST",
          authorization: null,
          params: { token: "T", hint: "x", client_id: "cl:ient", client_secret: SECRET },
        },
      },
    },
  ),
  introspected(
    "that finds fewer scopes than were asked for",
    { response_map: { scope: "$.scope", expires_in: "$.exp" } },
    () => ({ scope: "a", exp: inAnHour() }),
    { status: "failed", reason: "the user did not grant b", granted: ["a"], life: 3600 },
  ),
  introspected(
    "with absurd dates says nothing",
    { response_map: { scope: "$.scope", expires_in: "$.exp" } },
    () => ({ scope: null, exp: 1e300 }),
    { granted: ["a", "b"], life: null },
  ),
  introspected(
    "with a date in milliseconds says nothing",
    { response_map: { scope: "$.scope", expires_in: "$.exp" } },
    () => ({ exp: Date.now() + 3600_000 }),
    { granted: ["a", "b"], life: null },
  ),
  introspected("that is switched off is not asked", { enabled: false }, () => ({ scope: "x" }), {
    granted: ["a", "b"],
    sent: { introspection: { times: 0 } },
  }),
  {
    name: "introspection on refresh goes before what the refresh says",
    oauth2: {
      token_introspection_request: {
        triggers: ON_REFRESH,
        expiration_format: "relative_seconds",
        response_map: { expires_in: "$.left", scope: "$.scope" },
      },
    },
    says: { token: GRANT, refresh: NEXT, introspection: { body: { left: 60, scope: "a b c" } } },
    expects: { granted: ["a", "b"], later: "T2", grantedLater: ["a", "b", "c"] },
  },
  {
    name: "introspection that is down: the token answer counts",
    oauth2: { token_introspection_request: {} },
    says: { token: GRANT, introspection: { status: 500 } },
    expects: { granted: ["a", "b"], life: 3600 },
  },
];
