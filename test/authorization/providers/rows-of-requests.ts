// What is sent: templates of every kind, placeholders, methods, content types, PKCE.
import type { Row } from "./table";

const OK = { body: { access_token: "T", refresh_token: "R", expires_in: 3600 } };
const NEXT = { body: { access_token: "T2", expires_in: 3600 } };
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

export const REQUESTS: readonly Row[] = [
  {
    name: "a record of endpoints alone: standard parameters, PKCE, scopes by space",
    says: { token: OK, refresh: NEXT },
    expects: {
      granted: ["a", "b"],
      life: 3600,
      refreshable: true,
      later: "T2",
      sent: {
        authorize: {
          method: "GET",
          params: {
            response_type: "code",
            client_id: "cl:ient",
            redirect_uri: /\/api\/v1\/oauth\/.+\/callback$/,
            scope: "a b",
            state: /./,
            code_challenge: /^[\w-]{43}$/,
            code_challenge_method: "S256",
          },
          without: ["client_secret", "code_verifier"],
        },
        token: {
          method: "POST",
          type: FORM,
          params: { grant_type: "authorization_code", code: "C", code_verifier: /^[\w-]{43,}$/ },
          without: ["state", "scope"],
        },
        refresh: {
          method: "POST",
          type: FORM,
          params: { grant_type: "refresh_token", refresh_token: "R" },
          without: ["scope", "code"],
        },
      },
    },
  },
  {
    name: "PKCE off: no challenge, no verifier",
    oauth2: { pkce: { enabled: false } },
    says: { token: OK },
    expects: {
      sent: {
        authorize: { without: ["code_challenge", "code_challenge_method"] },
        token: { without: ["code_verifier"] },
      },
    },
  },
  {
    name: "scopes asked for by comma",
    oauth2: { scope_delimiter: "," },
    says: { token: OK },
    expects: { granted: ["a", "b"], sent: { authorize: { params: { scope: "a,b" } } } },
  },
  {
    name: "an authorization address with a query of its own",
    oauth2: { authorize_request: { endpoint: "/authorize?access_type=offline&state=fixed&scope=old" } },
    says: { token: OK },
    expects: {
      granted: ["a", "b"],
      sent: { authorize: { params: { access_type: "offline", scope: "a b", state: /^.{40,}$/ } } },
    },
  },
  {
    name: "an authorization address whose query has placeholders, with values that need encoding",
    oauth2: {
      authorize_request: {
        endpoint: "/authorize?client={{client_id}}&wanted={{scopes}}",
        params: { redirect_uri: "{{redirect_uri}}" },
      },
    },
    scopes: ["https://p.example/a?x=1&y", "b+c"],
    says: { token: OK },
    expects: {
      sent: { authorize: { params: { client: "cl:ient", wanted: "b+c https://p.example/a?x=1&y" } } },
    },
  },
  {
    name: "extra parameters of consent, exchange and refresh",
    oauth2: {
      authorize_request: {
        params: {
          response_type: "code",
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          scope: "{{scopes}}",
          access_type: "offline",
          prompt: "consent",
        },
      },
      token_request: { params: { audience: "api", app: "{{client_id}}" } },
      refresh_request: { params: { audience: "api", again: "{{refresh_token}}" } },
    },
    says: { token: OK, refresh: NEXT },
    expects: {
      later: "T2",
      sent: {
        authorize: { params: { access_type: "offline", prompt: "consent", scope: "a b" } },
        token: { params: { audience: "api", app: "cl:ient", grant_type: "authorization_code" } },
        refresh: { params: { audience: "api", again: "R", grant_type: "refresh_token" } },
      },
    },
  },
  {
    name: "scopes under another name, apart from those that are granted already",
    oauth2: {
      authorize_request: {
        params: {
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          user_scope: "{{scopes}}",
          had: "{{existing_scopes}}",
        },
      },
    },
    says: { token: OK },
    expects: {
      sent: { authorize: { params: { user_scope: "a b" }, without: ["scope", "had", "response_type"] } },
    },
  },
  {
    name: "scopes in the exchange and in the refresh, where the provider wants them there",
    oauth2: {
      token_request: { params: { scope: "{{scopes}}" } },
      refresh_request: {
        params: { scope: "{{scopes}}", held: "{{existing_scopes}}", old: "{{access_token}}" },
      },
    },
    says: { token: OK, refresh: NEXT },
    expects: {
      later: "T2",
      sent: {
        token: { params: { scope: "a b" } },
        refresh: { params: { scope: "a b", held: "a b", old: "T" } },
      },
    },
  },
  {
    name: "an exchange and a refresh as JSON",
    oauth2: {
      token_request: { request_content_type: JSON_TYPE },
      refresh_request: { request_content_type: JSON_TYPE },
    },
    says: { token: OK, refresh: NEXT },
    expects: {
      later: "T2",
      sent: {
        token: { type: JSON_TYPE, params: { code: "C", client_id: "cl:ient" } },
        refresh: { type: JSON_TYPE, params: { refresh_token: "R" } },
      },
    },
  },
  {
    name: "an exchange and a refresh as GET, beside the query that stands there",
    oauth2: {
      token_request: { method: "GET", endpoint: "/token?version=2" },
      refresh_request: { method: "GET" },
    },
    says: { token: OK, refresh: NEXT },
    expects: {
      later: "T2",
      sent: {
        token: { method: "GET", params: { version: "2", code: "C" } },
        refresh: { method: "GET", params: { refresh_token: "R" } },
      },
    },
  },
  {
    name: "an issuer of one tenant that the record states, and the callback names (RFC 9207)",
    oauth2: { issuer: "https://idp.example/tenant-1/v2.0" },
    says: { callback: { code: "C", iss: "https://idp.example/tenant-1/v2.0" }, token: OK },
    expects: { granted: ["a", "b"] },
  },
  {
    name: "another tenant's issuer in the callback (RFC 9207)",
    oauth2: { issuer: "https://idp.example/tenant-1/v2.0" },
    says: { callback: { code: "C", iss: "https://idp.example/tenant-2/v2.0" }, token: OK },
    expects: { status: "failed", reason: "another issuer", nothing: true, sent: { token: { times: 0 } } },
  },
  {
    name: "a callback that names an issuer, of which the record knows nothing",
    says: { callback: { code: "C", iss: "https://idp.example", session_state: "x" }, token: OK },
    expects: { granted: ["a", "b"] },
  },
  {
    name: "no refresh_request: a refresh token is of no use, the user consents again",
    oauth2: { refresh_request: null },
    says: { token: OK, refresh: NEXT },
    expects: { later: null, sent: { refresh: { times: 0 } } },
  },
];
