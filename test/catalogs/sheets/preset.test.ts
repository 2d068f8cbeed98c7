// The provider preset, as the platform's pages on OAuth for web servers describe it.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { googlePreset } from "../../../catalogs/presets/google";
import { parseExpression } from "../../../src/providers";
import { checkOAuth2 } from "../../../src/providers/rules";
import { OAuth2Create } from "../../../src/providers/schema";

test("it is what an administrator could have written into a record", () => {
  const written = { client_id: "1-x.apps.googleusercontent.com", ...googlePreset.oauth2 };
  // A name that the record does not have would be ignored, so it is a mistake here.
  expect(
    Value.Errors(Type.Object(OAuth2Create.properties, { additionalProperties: false }), written),
  ).toEqual([]);
  if (!Value.Check(OAuth2Create, written)) throw new Error("It does not fit the record.");
  checkOAuth2(written, false);
  for (const path of Object.values(googlePreset.facts ?? {})) parseExpression(path);
});

test("consent asks for a refresh token each time, and keeps what was granted before", () => {
  expect(googlePreset).toMatchObject({
    id: "google",
    oauth2: {
      scope_delimiter: " ",
      pkce: { enabled: true, code_challenge_method: "S256" },
      authorize_request: {
        endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
        params: {
          response_type: "code",
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          scope: "{{scopes}}",
          access_type: "offline",
          prompt: "consent",
          include_granted_scopes: "true",
        },
      },
    },
  });
});

test.each(["token_request", "refresh_request"])(
  "%s goes to the token endpoint with the client's secret",
  (name) => {
    expect(googlePreset.oauth2[name]).toMatchObject({
      endpoint: "https://oauth2.googleapis.com/token",
      method: "POST",
      auth_method: "client_secret_post",
    });
  },
);

test("the grant keeps who the user is, where the platform tells it", () => {
  const claims = { sub: "100000000000000000017", email: "alice@mail.example", hd: "corp.example" };
  const id_token = `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;
  const factsOf = (answer: { [key: string]: string }) =>
    Object.entries(googlePreset.facts ?? {}).map(([name, path]) => [name, parseExpression(path)(answer)]);
  expect(Object.fromEntries(factsOf({ id_token }))).toEqual({
    user_id: claims.sub,
    email: claims.email,
    organization_domain: claims.hd,
  });
  expect(Object.fromEntries(factsOf({}))).toEqual({});
  expect(googlePreset.account?.length).toBeGreaterThan(0);
  for (const fact of googlePreset.account ?? []) expect(googlePreset.facts).toHaveProperty(fact);
});

test("the set-up names the APIs that an operator enables", () => {
  const steps = googlePreset.setup?.steps.join("\n") ?? "";
  for (const name of ["Google Sheets API", "Google Drive API", "Google Picker API"]) {
    expect(steps).toContain(name);
  }
});
