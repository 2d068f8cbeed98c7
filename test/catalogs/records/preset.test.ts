// The provider preset, as the platform's OAuth pages describe version 2.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { zohoChinaPreset, zohoPreset } from "../../../catalogs/presets/zoho";
import { parseExpression } from "../../../src/providers";
import { effectiveOAuth2 } from "../../../src/providers/effective";
import { checkOAuth2 } from "../../../src/providers/rules";
import { OAuth2Create } from "../../../src/providers/schema";

test("it is what an administrator could have written into a record", () => {
  const written = { client_id: "1.2", ...zohoPreset.oauth2 };
  // A name that the record does not have would be ignored, so it is a mistake here.
  expect(
    Value.Errors(Type.Object(OAuth2Create.properties, { additionalProperties: false }), written),
  ).toEqual([]);
  if (!Value.Check(OAuth2Create, written)) throw new Error("It does not fit the record.");
  checkOAuth2(written, false);
  for (const path of Object.values(zohoPreset.facts ?? {})) parseExpression(path);
  expect(zohoPreset.account?.length).toBeGreaterThan(0);
  for (const fact of zohoPreset.account ?? []) expect(zohoPreset.facts).toHaveProperty(fact);
});

test("consent asks for offline access and prompts, so that there always is a refresh token", () => {
  expect(zohoPreset).toMatchObject({
    id: "zoho",
    oauth2: {
      scope_delimiter: ",",
      pkce: { enabled: false },
      authorize_request: {
        endpoint: "https://accounts.zoho.com/oauth/v2/auth",
        params: {
          response_type: "code",
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          scope: "{{scopes}}",
          access_type: "offline",
          prompt: "consent",
        },
      },
    },
  });
});

test("code and refresh token go to the token address, with the secret in the body", () => {
  const endpoint = "https://accounts.zoho.com/oauth/v2/token";
  expect(zohoPreset.oauth2).toMatchObject({
    token_request: {
      endpoint,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" },
    },
    refresh_request: {
      endpoint,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
    },
  });
});

test("a record that names another data center keeps everything else", () => {
  const endpoint = "https://accounts.zoho.eu/oauth/v2/auth";
  const { authorize } = effectiveOAuth2({ client_id: "1.2", authorize_request: { endpoint } }, zohoPreset);
  expect(authorize).toMatchObject({ endpoint, params: { access_type: "offline", prompt: "consent" } });
});

test("the callback may name the accounts server of any data center, and no other", () => {
  const { clientRefused, ...servers } = zohoPreset.tokenServers ?? {};
  expect(clientRefused).toContain("the same OAuth credentials for all data centers");
  expect(servers).toEqual({
    parameter: "accounts-server",
    fact: "accounts_server",
    setting: "records.accounts_hosts",
    origins: [
      "https://accounts.zoho.com",
      "https://accounts.zoho.eu",
      "https://accounts.zoho.in",
      "https://accounts.zoho.com.au",
      "https://accounts.zoho.com.cn",
      "https://accounts.zoho.jp",
      "https://accounts.zohocloud.ca",
      "https://accounts.zoho.sa",
      "https://accounts.zoho.ae",
      "https://accounts.zoho.uk",
    ],
  });
});

describe("users of China", () => {
  const { oauth2, setup, tokenServers, revoke, variantOf } = zohoChinaPreset;

  test("consent, exchange, refresh and revoke at their own server, which the others do not lead to", () => {
    const addresses = JSON.stringify([oauth2, revoke, tokenServers?.origins]).match(/https:[^"]*/g) ?? [];
    expect(addresses.map((address) => new URL(address).origin)).toEqual(
      addresses.map(() => "https://accounts.zoho.com.cn"),
    );
    expect(addresses.length).toBeGreaterThan(4);
  });

  test("have set-up steps with their own console and address, and the same tools", () => {
    expect(setup?.console).toBe("https://api-console.zoho.com.cn/");
    expect(setup?.steps.join("\n")).toContain("https://www.zohoapis.com.cn");
    expect(setup?.steps.join("\n")).not.toContain("Multi-DC");
    expect(variantOf).toBe("zoho");
  });

  test("are named in the steps for everybody else, which tick one secret for all data centers", () => {
    const steps = zohoPreset.setup?.steps.join("\n") ?? "";
    expect(steps).toContain("zoho-cn");
    expect(steps).toContain("the same OAuth credentials for all data centers");
    expect(steps).not.toContain("each has a client secret of its own");
  });
});
