// A record and its preset together.
import { describe, expect, test } from "bun:test";
import { effectiveOAuth2 } from "../../src/providers/effective";
import type { ProviderPreset } from "../../src/providers";

const authorize = { endpoint: "https://own.example/authorize" };
const token = { endpoint: "https://own.example/token" };
const custom = { client_id: "client", authorize_request: authorize, token_request: token };

const preset: ProviderPreset = {
  id: "known",
  description: "Known",
  oauth2: {
    scope_delimiter: ",",
    pkce: { enabled: false },
    authorize_request: { endpoint: "https://known.example/authorize", params: { user_scope: "{{scopes}}" } },
    token_request: {
      endpoint: "https://known.example/token",
      auth_method: "client_secret_basic",
      response_map: { access_token: "$.nested.access_token" },
    },
    refresh_request: { endpoint: "https://known.example/refresh" },
  },
  facts: { account_id: "$.id" },
  account: ["account_id"],
};

describe("without a preset", () => {
  test("the resource is a parameter of the three requests, also of those with parameters of their own", () => {
    const own = {
      ...custom,
      resource: "https://mcp.example/mcp",
      token_request: { ...token, params: { grant_type: "authorization_code" } },
      refresh_request: { endpoint: "https://own.example/token" },
    };
    const effective = effectiveOAuth2(own, undefined);

    expect(
      [effective.authorize, effective.token, effective.refresh].map((request) => request?.params),
    ).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ resource: "https://mcp.example/mcp" })),
    );
    expect(effectiveOAuth2({ ...own, resource: "" }, undefined).authorize.params).not.toHaveProperty(
      "resource",
    );
  });

  test("fields that the record does not set have standard values", () => {
    expect(effectiveOAuth2(custom, undefined)).toEqual({
      clientId: "client",
      scopeDelimiter: " ",
      pkce: true,
      authorize: {
        ...authorize,
        params: {
          response_type: "code",
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          scope: "{{scopes}}",
        },
      },
      token: { ...token, params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" } },
      refresh: undefined,
      userInfo: undefined,
      facts: { user_id: "jwt_decode('$.id_token','$.sub')" },
      account: ["user_id"],
      scopeAliases: {},
      defaultScopes: [],
      tokenTypes: [],
      introspection: undefined,
      issuer: undefined,
      requiresIssuer: false,
      revoke: undefined,
      revokesSingleGrant: false,
      tokenServers: undefined,
    });
  });

  test("parameters of the record replace the standard ones", () => {
    const own = { ...custom, authorize_request: { ...authorize, params: { scope: "{{scopes}}" } } };

    expect(effectiveOAuth2(own, undefined).authorize.params).toEqual({ scope: "{{scopes}}" });
  });

  test("a refresh has the standard parameters", () => {
    const { refresh } = effectiveOAuth2({ ...custom, refresh_request: token }, undefined);

    expect(refresh?.params).toEqual({ grant_type: "refresh_token", refresh_token: "{{refresh_token}}" });
  });
});

describe("with a preset", () => {
  test("fields that the record does not set have the values of the preset", () => {
    const effective = effectiveOAuth2({ client_id: "client" }, preset);

    expect(effective).toMatchObject({ scopeDelimiter: ",", pkce: false, facts: { account_id: "$.id" } });
    expect(effective.authorize).toEqual({
      endpoint: "https://known.example/authorize",
      params: { user_scope: "{{scopes}}" },
    });
    expect(effective.refresh?.endpoint).toBe("https://known.example/refresh");
    expect(effective.account).toEqual(["account_id"]);
  });

  test("a field of the record overrides that of the preset", () => {
    const effective = effectiveOAuth2({ ...custom, scope_delimiter: " ", pkce: { enabled: true } }, preset);

    expect(effective).toMatchObject({ scopeDelimiter: " ", pkce: true });
    expect(effective.authorize).toEqual({ ...authorize, params: { user_scope: "{{scopes}}" } });
    expect(effective.token).toMatchObject({
      endpoint: token.endpoint,
      auth_method: "client_secret_basic",
      response_map: { access_token: "$.nested.access_token" },
    });
  });
});

test.each<[string, object, ProviderPreset | undefined, boolean]>([
  ["on by default", {}, undefined, true],
  ["on when only the method is given", { pkce: { code_challenge_method: "S256" } }, undefined, true],
  ["off when the record says so", { pkce: { enabled: false } }, undefined, false],
  ["off when the preset says so", {}, preset, false],
  ["on when the record says so against the preset", { pkce: { enabled: true } }, preset, true],
  ["off when the record says nothing of it against the preset", { pkce: {} }, preset, false],
])("PKCE is %s", (_name, own, base, pkce) => {
  expect(effectiveOAuth2({ ...custom, ...own }, base).pkce).toBe(pkce);
});
