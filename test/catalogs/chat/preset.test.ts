// The provider preset, as the platform's OAuth pages describe version 2 of its user grants.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { slackPreset } from "../../../catalogs/presets/slack";
import { parseExpression } from "../../../src/providers";
import { checkOAuth2 } from "../../../src/providers/rules";
import { OAuth2Create } from "../../../src/providers/schema";

test("it is what an administrator could have written into a record", () => {
  const written = { client_id: "1.2", ...slackPreset.oauth2 };
  // A name that the record does not have would be ignored, so it is a mistake here.
  expect(
    Value.Errors(Type.Object(OAuth2Create.properties, { additionalProperties: false }), written),
  ).toEqual([]);
  if (!Value.Check(OAuth2Create, written)) throw new Error("It does not fit the record.");
  checkOAuth2(written, false);
  for (const path of Object.values(slackPreset.facts ?? {})) parseExpression(path);
});

test("scopes are asked of the user, comma-separated; no bot is asked for", () => {
  expect(slackPreset).toMatchObject({
    id: "slack",
    oauth2: {
      scope_delimiter: ",",
      pkce: { enabled: false },
      authorize_request: {
        endpoint: "https://slack.com/oauth/v2/authorize",
        params: {
          client_id: "{{client_id}}",
          user_scope: "{{scopes}}",
          redirect_uri: "{{redirect_uri}}",
        },
      },
    },
  });
  expect(slackPreset.oauth2["authorize_request"]).not.toHaveProperty("params.scope");
});

test("the code exchange reads the nested grant of the user, never that of the bot", () => {
  expect(slackPreset.oauth2["token_request"]).toMatchObject({
    endpoint: "https://slack.com/api/oauth.v2.access",
    auth_method: "client_secret_basic",
    response_map: {
      access_token: "$.authed_user.access_token",
      refresh_token: "$.authed_user.refresh_token",
      expires_in: "$.authed_user.expires_in",
      scope: "$.authed_user.scope",
      token_type: "$.authed_user.token_type",
    },
  });
});

test("a refresh is read flat", () => {
  expect(slackPreset.oauth2["refresh_request"]).toMatchObject({
    endpoint: "https://slack.com/api/oauth.v2.access",
    auth_method: "client_secret_basic",
    params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
    response_map: { access_token: "$.access_token", refresh_token: "$.refresh_token", scope: "$.scope" },
  });
});

test("the grant keeps who and where the user is", () => {
  expect(slackPreset.facts).toMatchObject({ user_id: "$.authed_user.id", team_id: "$.team.id" });
  expect(slackPreset.account?.length).toBeGreaterThan(0);
  for (const fact of slackPreset.account ?? []) expect(slackPreset.facts).toHaveProperty(fact);
});
