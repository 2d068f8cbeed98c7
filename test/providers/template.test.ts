// Placeholders of request templates.
import { describe, expect, test } from "bun:test";
import { fill, mentions } from "../../src/providers";
import { hasUnknownPlaceholder } from "../../src/providers/template";

const VALUES = { client_id: "C", client_secret: "$& {{client_id}}", scopes: "a b" };

describe("a template is filled in", () => {
  test.each([
    ["{{client_id}}", "C"],
    ["{{ client_id }}", "C"],
    ["x{{client_id}}y{{client_id}}z", "xCyCz"],
    ["{{scopes}} {{existing_scopes}}", "a b "],
    ["plain", "plain"],
    ["{client_id}", "{client_id}"],
    ["{{{client_id}}}", "{C}"],
    ["{{unknown}}", ""],
    ["{{constructor}}", ""],
    // What a value holds is text: no second round, no patterns of a replacement.
    ["{{client_secret}}", "$& {{client_id}}"],
  ])("%s", (template, text) => {
    expect(fill(template, VALUES)).toBe(text);
  });
});

describe("a placeholder", () => {
  test.each([
    "client_id",
    "client_secret",
    "redirect_uri",
    "scopes",
    "existing_scopes",
    "refresh_token",
    "access_token",
  ])("%s is known", (name) => {
    expect(hasUnknownPlaceholder(`{{${name}}} {{ ${name} }}`)).toBe(false);
  });

  test.each([
    "{{code}}",
    "{{Client_id}}",
    "{{client-id}}",
    "{{}}",
    "{{ }}",
    "{{client_id }} {{x}}",
    "{{client id}}",
  ])("in %s is unknown", (template) => {
    expect(hasUnknownPlaceholder(template)).toBe(true);
  });

  test("is found in a template", () => {
    expect([mentions("x {{ scopes }}", "scopes"), mentions("{{existing_scopes}}", "scopes")]).toEqual([
      true,
      false,
    ]);
  });
});
