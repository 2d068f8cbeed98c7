// What token endpoints answer: forms, lives, errors, nested grants.
import type { Row } from "./table";

const FORM = "application/x-www-form-urlencoded";
const NEXT = { body: { access_token: "T2", expires_in: 3600 } };

function jwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

/** `expires_in` as told, and as it is understood. */
function life(name: string, expires_in: unknown, seconds: number | null): Row {
  return {
    name: `a life that is ${name}`,
    says: { token: { body: { access_token: "T", refresh_token: "R", expires_in } } },
    expects: { life: seconds, refreshable: true },
  };
}

function refusal(name: string, token: NonNullable<Row["says"]["token"]>, reason: string): Row {
  return {
    name: `${name}: the consent has failed, and nothing is stored`,
    says: { token },
    expects: { status: "failed", reason, nothing: true },
  };
}

export const ANSWERS: readonly Row[] = [
  {
    name: "form-encoded, from exchange and refresh",
    says: {
      token: {
        type: FORM,
        body: "access_token=T&refresh_token=R&expires_in=3600&scope=a%2Cb&token_type=Bearer",
      },
      refresh: { type: FORM, body: "access_token=T2&refresh_token=R2&expires_in=60&scope=a+b" },
    },
    expects: { granted: ["a", "b"], life: 3600, refreshable: true, later: "T2", grantedLater: ["a", "b"] },
  },
  {
    name: "form-encoded under the wrong content type",
    says: { token: { type: "text/html", body: "access_token=T&scope=a%20b&expires_in=60" } },
    expects: { granted: ["a", "b"], life: 60, refreshable: false },
  },
  {
    name: "nested, the bot's grant at the top",
    oauth2: {
      token_request: {
        response_map: {
          access_token: "$.authed_user.access_token",
          refresh_token: "$.authed_user.refresh_token",
          expires_in: "$.authed_user.expires_in",
          scope: "$.authed_user.scope",
        },
      },
    },
    says: {
      token: {
        body: {
          ok: true,
          access_token: "BOT",
          scope: "bot",
          authed_user: { id: "U1", access_token: "T", refresh_token: "R", expires_in: 3600, scope: "a,b" },
        },
      },
      refresh: NEXT,
    },
    expects: { granted: ["a", "b"], life: 3600, refreshable: true, later: "T2" },
  },
  {
    name: "nested for the user, who is not in the answer",
    oauth2: { token_request: { response_map: { access_token: "$.authed_user.access_token" } } },
    says: { token: { body: { ok: true, access_token: "BOT", authed_user: { id: "U1" } } } },
    expects: { status: "failed", reason: "no_access_token", nothing: true },
  },
  {
    name: "a map with join and jwt_decode, nested",
    oauth2: {
      token_request: {
        response_map: {
          access_token: "$.data[0].token",
          scope: "join(jwt_decode('$.data[0].token','$.realm.scopes'),' ')",
          expires_in: "jwt_decode('$.data[0].token','$.life')",
        },
      },
    },
    says: {
      token: { body: { data: [{ token: jwt({ realm: { scopes: ["a", "b"] }, life: "600" }) }] } },
    },
    expects: { granted: ["a", "b"], life: 600, refreshable: false },
  },
  {
    name: "a map whose paths lead nowhere",
    oauth2: { token_request: { response_map: { scope: "$.no.such", expires_in: "$.nor[3]" } } },
    says: { token: { body: { access_token: "T", scope: "x", expires_in: 9 } } },
    expects: { granted: ["a", "b"], life: null },
  },
  life("text", "3600", 3600),
  life("a fraction", 3599.9, 3599),
  life("a date, which is absurd", 1_790_000_000, null),
  life("absurd text", "99999999999999999999", null),
  life("zero", 0, null),
  life("negative", -1, null),
  life("null", null, null),
  {
    name: "a life that is absent: nobody refreshes ahead of time, the token goes on",
    says: { token: { body: { access_token: "T", refresh_token: "R" } }, refresh: NEXT },
    expects: { life: null, refreshable: true, later: "T", sent: { refresh: { times: 0 } } },
  },
  {
    name: "a life that ends without a refresh token: consent is owed, no expired token goes out",
    says: { token: { body: { access_token: "T", expires_in: 60 } } },
    expects: { life: 60, refreshable: false, later: null },
  },
  {
    name: "a refresh without a new refresh token: the old one lives on",
    says: {
      token: { body: { access_token: "T", refresh_token: "R", expires_in: 60 } },
      refresh: { body: { access_token: "T2", expires_in: 60 } },
    },
    expects: { later: "T2", refreshable: true, sent: { refresh: { params: { refresh_token: "R" } } } },
  },
  {
    name: "a refresh that is refused for good: consent is owed",
    says: {
      token: { body: { access_token: "T", refresh_token: "R", expires_in: 60 } },
      refresh: { body: { ok: false, error: "invalid_grant" } },
    },
    expects: { later: null, sent: { refresh: { times: 1 } } },
  },
  refusal("an error inside HTTP 200", { body: { ok: false, error: "invalid_code" } }, "invalid_code"),
  refusal("an error of the standard", { status: 400, body: { error: "invalid_client" } }, "invalid_client"),
  refusal("an error in a form", { type: FORM, body: "error=bad_verification_code" }, "bad_verification_code"),
  refusal(
    "an error that holds HTML",
    { body: { error: "<img src=x onerror=alert(1)>" } },
    "an unreadable error",
  ),
  refusal("a page of HTML", { type: "text/html", body: "<html>ok</html>" }, "no usable answer (HTTP 200)"),
  refusal("an endpoint in trouble", { status: 503, body: { access_token: "T" } }, "HTTP 503"),
  refusal("an answer that never ends well", { resets: true }, "could not be reached"),
];
