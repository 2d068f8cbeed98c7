// Rules for provider records. Each error names the field and contains no value.
import { describe, expect, test } from "bun:test";
import { RuntimeError } from "../../src/errors";
import { checkOAuth2 } from "../../src/providers/rules";
import type { OAuth2Config } from "../../src/providers/schema";

const custom: OAuth2Config = {
  client_id: "client",
  authorize_request: { endpoint: "https://idp.example/authorize" },
  token_request: { endpoint: "https://idp.example/token" },
};

function fieldsOf(oauth2: object, hasPreset = false): string[] {
  try {
    // What a client sends may be anything.
    checkOAuth2({ ...custom, ...oauth2 } as OAuth2Config, hasPreset);
    return [];
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return (error.fieldErrors ?? []).map(({ field }) => field);
  }
}

describe("an endpoint may be", () => {
  test.each([
    "https://idp.example/authorize",
    "https://idp.example:8443/a?b=c",
    "https://{{client_id}}.idp.example/authorize",
    "https://idp.example/{{client_id}}/authorize",
    "https://idp.example/authorize?token={{access_token}}",
    "http://localhost:8080/authorize",
    "http://idp.localhost/authorize",
    "http://idp/authorize",
    "http://idp.internal/authorize",
    "http://printer.local/authorize",
    "http://127.0.0.1:1/authorize",
    "http://10.1.2.3/authorize",
    "http://192.168.1.1/authorize",
    "http://172.16.0.1/authorize",
    "http://172.31.255.255/authorize",
    "http://[::1]:8080/authorize",
    "http://[fd00::1]/authorize",
    "http://[fe80::1]/authorize",
  ])("%s", (endpoint) => {
    expect(fieldsOf({ authorize_request: { endpoint } })).toEqual([]);
  });
});

describe("an endpoint is never", () => {
  test.each([
    "authorize",
    "/authorize",
    "//idp.example/authorize",
    "idp.example/authorize",
    "https://",
    "ftp://idp.example/authorize",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://user:password@idp.example/authorize",
    "https://user@idp.example/authorize",
    "http://idp.example/authorize",
    "http://8.8.8.8/authorize",
    "http://172.32.0.1/authorize",
    "http://10.example.com/authorize",
    "http://127.0.0.1.example.com/authorize",
    "http://192.168.example.com/authorize",
    "http://localhost.example.com/authorize",
    "http://[2606:4700:4700::1111]/authorize",
    // The log shows addresses without their query.
    "https://idp.example/{{client_secret}}/authorize",
    "https://{{ access_token }}.idp.example/authorize",
    "https://idp.example/{{refresh_token}}?a=b",
    // The caller of a consent chooses the scopes.
    "https://{{scopes}}/token",
    "https://idp.example{{scopes}}/token",
    "https://idp.example:{{scopes}}/token",
  ])("%s", (endpoint) => {
    expect(fieldsOf({ authorize_request: { endpoint } })).toEqual(["oauth2.authorize_request.endpoint"]);
  });
});

const REQUESTS = ["authorize_request", "token_request", "refresh_request"];
const TRIGGERED = ["user_info_request", "token_introspection_request"];
const endpoint = "https://idp.example/x";
const triggers = { on_token_grant: true, on_token_refresh: false };

describe("an error names the field", () => {
  test.each([...REQUESTS, ...TRIGGERED])("in %s", (name) => {
    const field = `oauth2.${name}`;
    const request = {
      triggers,
      endpoint: "nowhere",
      params: { good: "{{client_id}}", bad: "{{unknown}}" },
      auth_header_value_format: "Token {{nothing}}",
      response_map: { access_token: "$.a", scope: "nonsense(" },
    };

    expect(fieldsOf({ [name]: request })).toEqual([
      `${field}.endpoint`,
      `${field}.params.bad`,
      `${field}.auth_header_value_format`,
      `${field}.response_map.scope`,
    ]);
  });

  test.each(TRIGGERED)("when %s has no triggers", (name) => {
    expect(fieldsOf({ [name]: { endpoint } })).toEqual([`oauth2.${name}.triggers`]);
  });

  test.each([...REQUESTS, ...TRIGGERED])("when %s has no endpoint, with a preset too", (name) => {
    expect(fieldsOf({ [name]: { triggers, method: "GET" } }, true)).toEqual([`oauth2.${name}.endpoint`]);
  });

  test("when an endpoint has an unknown placeholder", () => {
    expect(fieldsOf({ token_request: { endpoint: "https://idp.example/{{tenant}}/token" } })).toEqual([
      "oauth2.token_request.endpoint",
    ]);
  });
});

describe("a provider without a preset", () => {
  test.each(["authorize_request", "token_request"])("needs %s", (name) => {
    expect(fieldsOf({ [name]: undefined })).toEqual([`oauth2.${name}`]);
  });

  test("needs both", () => {
    expect(fieldsOf({ authorize_request: undefined, token_request: undefined })).toEqual([
      "oauth2.authorize_request",
      "oauth2.token_request",
    ]);
  });
});

test("a record with a preset needs no endpoints", () => {
  expect(fieldsOf({ authorize_request: undefined, token_request: undefined }, true)).toEqual([]);
});

test("the error contains no value of the record", () => {
  const secret = "planted-value";
  const request = {
    endpoint: `http://${secret}.example.com/`,
    params: { x: `{{${secret}}}` },
    response_map: { scope: secret },
  };

  expect(() => checkOAuth2({ ...custom, token_request: request }, false)).toThrow(RuntimeError);
  try {
    checkOAuth2({ ...custom, token_request: request }, false);
  } catch (error) {
    expect(String(error) + JSON.stringify(error)).not.toContain(secret);
  }
});
