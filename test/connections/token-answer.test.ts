// Parsing of the answers of token endpoints.
import { describe, expect, test } from "bun:test";
import { readTokenAnswer, splitScopes } from "../../src/connections/token-answer";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

function read(body: string | object, { status = 200, type = JSON_TYPE, map = {} } = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readTokenAnswer({ status, contentType: type, body: text }, map);
}

/** The members of the answer under test. */
function tokensOf(answer: ReturnType<typeof read>) {
  if (answer.kind !== "tokens") throw new Error(`not tokens but ${answer.kind}`);
  return answer.tokens;
}

describe("tokens", () => {
  const whole = { access_token: "T", refresh_token: "R", expires_in: 3600, scope: "a b" };
  const read1 = {
    access_token: "T",
    refresh_token: "R",
    expires_in: 3600,
    scope: "a b",
    token_type: "bearer",
  };

  test.each<[string, string | object, string]>([
    ["JSON", whole, JSON_TYPE],
    ["JSON with a byte order mark", `\uFEFF${JSON.stringify(whole)}`, JSON_TYPE],
    ["JSON with a text content type", whole, "text/html; charset=utf-8"],
    ["JSON with a form content type", whole, FORM_TYPE],
    ["form-encoded", "access_token=T&refresh_token=R&expires_in=3600&scope=a+b", FORM_TYPE],
    [
      "form-encoded in capitals",
      "access_token=T&refresh_token=R&expires_in=3600&scope=a+b",
      FORM_TYPE.toUpperCase(),
    ],
    [
      "form-encoded that calls itself text",
      "access_token=T&refresh_token=R&expires_in=3600&scope=a%20b",
      "text/plain",
    ],
    [
      "form-encoded that calls itself JSON",
      "access_token=T&refresh_token=R&expires_in=3600&scope=a%20b",
      JSON_TYPE,
    ],
    [
      "form-encoded without a content type",
      "access_token=T&refresh_token=R&expires_in=3600&scope=a%20b\n",
      "",
    ],
  ])("as %s", (_name, body, type) => {
    expect(tokensOf(read(body, { type }))).toEqual(read1 as never);
  });

  test.each([undefined, null, "Bearer", "bearer", "BEARER"])("of the type %p are used", (token_type) => {
    expect(tokensOf(read({ access_token: "T", token_type })).token_type).toBe("bearer");
  });

  test.each(["DPoP", "mac", "user", "N_A"])("of the type %p are refused", (token_type) => {
    expect(read({ access_token: "T", token_type })).toMatchObject({ error: "unsupported_token_type" });
  });

  test("of the type that a preset names are used", () => {
    const body = JSON.stringify({ access_token: "T", token_type: "user" });
    const answer = readTokenAnswer({ status: 200, contentType: JSON_TYPE, body }, {}, ["user"]);
    expect(answer.kind).toBe("tokens");
  });

  test.each([
    ["absent", {}],
    ["null", { refresh_token: null }],
    ["empty", { refresh_token: "" }],
    ["a number", { refresh_token: 7 }],
  ])("without a refresh token if it is %s", (_name, more) => {
    expect(tokensOf(read({ access_token: "T", ...more }))).not.toHaveProperty("refresh_token");
  });

  test("of a nested grant, by the provider's map (the top level is a bot's)", () => {
    const map = { access_token: "$.authed_user.access_token", scope: "$.authed_user.scope" };
    const body = {
      access_token: "BOT",
      scope: "bot",
      expires_in: 60,
      authed_user: { access_token: "T", scope: "a,b" },
    };

    expect(tokensOf(read(body, { map }))).toEqual({
      access_token: "T",
      token_type: "bearer",
      expires_in: 60,
      scope: "a,b",
    });
  });

  test("of a missing nested grant are missing, even if the top level has one", () => {
    const map = { access_token: "$.authed_user.access_token" };

    expect(read({ access_token: "BOT", authed_user: { id: "U1" } }, { map })).toMatchObject({
      kind: "error",
      error: "no_access_token",
    });
  });

  test("of a map with join and jwt_decode", () => {
    const payload = Buffer.from(JSON.stringify({ scopes: ["a", "b"] })).toString("base64url");
    const map = { scope: "join(jwt_decode('$.access_token','$.scopes'),' ')" };

    expect(tokensOf(read({ access_token: `h.${payload}.s` }, { map })).scope).toBe("a b");
  });
});

describe("expires_in", () => {
  test.each<[string, unknown, number | undefined]>([
    ["a number", 3600, 3600],
    ["text", "3600", 3600],
    ["text with spaces", " 3600 ", 3600],
    ["a fraction", 3599.9, 3599],
    ["ten years", 315_360_000, 315_360_000],
    ["absurd", 315_360_001, undefined],
    ["a date", 1_790_000_000, undefined],
    ["more digits than a number holds", "99999999999999999999", undefined],
    ["zero", 0, undefined],
    ["negative", -1, undefined],
    ["negative text", "-3600", undefined],
    ["text with a unit", "3600s", undefined],
    ["empty", "", undefined],
    ["null", null, undefined],
    ["true", true, undefined],
    ["a list", [3600], undefined],
  ])("as %s", (_name, value, seconds) => {
    expect(tokensOf(read({ access_token: "T", expires_in: value })).expires_in).toBe(seconds as never);
  });

  test("absent means unknown", () => {
    expect(tokensOf(read({ access_token: "T" }))).not.toHaveProperty("expires_in");
  });
});

describe("scope [fault: scope-separator]", () => {
  test.each<[string, unknown, string[]]>([
    ["commas", "a,b", ["a", "b"]],
    ["spaces", "a b", ["a", "b"]],
    ["commas and spaces", "a, b", ["a", "b"]],
    ["a list", ["a", "b"], ["a", "b"]],
    ["a list with items that are not texts", ["a", 7, null, "b"], ["a", "b"]],
    ["line ends", "a\nb\r\n", ["a", "b"]],
    ["a repetition", "a b a", ["a", "b"]],
    ["addresses", "https://p.example/drive.file openid", ["https://p.example/drive.file", "openid"]],
    ["different cases", "Mail.Read mail.read", ["Mail.Read", "mail.read"]],
    ["nothing: none was granted", "", []],
    ["an empty list", [], []],
  ])("with %s", (_name, value, scopes) => {
    expect(splitScopes(tokensOf(read({ access_token: "T", scope: value })).scope ?? "absent")).toEqual(
      scopes,
    );
  });

  test.each([
    ["absent", {}],
    ["null", { scope: null }],
    ["an object", { scope: { a: true } }],
  ])("that is %s means as requested", (_name, more) => {
    expect(tokensOf(read({ access_token: "T", ...more }))).not.toHaveProperty("scope");
  });
});

describe("an error", () => {
  test.each<[string, string | object, number, string]>([
    ["standard", { error: "invalid_grant", error_description: "gone" }, 400, JSON_TYPE],
    ["with HTTP 200", { ok: false, error: "invalid_grant" }, 200, JSON_TYPE],
    ["form-encoded", "error=invalid_grant&error_description=gone", 200, FORM_TYPE],
    ["with an empty token", { access_token: "", error: "invalid_grant" }, 200, JSON_TYPE],
  ])("%s", (_name, body, status, type) => {
    expect(read(body, { status, type })).toMatchObject({ kind: "error", error: "invalid_grant" });
  });

  test("is the result of a success without a token", () => {
    expect(read({ ok: true })).toMatchObject({ kind: "error", error: "no_access_token" });
  });
});

describe("an answer that says nothing about the grant", () => {
  test.each<[string, string | object, number, string]>([
    ["HTML of a gateway", "<html><body>502</body></html>", 502, "text/html"],
    ["HTML with 200", "<!DOCTYPE html><a href='x?a=b&c=d'>", 200, "text/html"],
    ["HTML with a form content type", "<html>a=b</html>", 200, FORM_TYPE],
    ["nothing", "", 200, JSON_TYPE],
    ["nothing, form-encoded", "", 200, FORM_TYPE],
    ["spaces", "  \n", 200, ""],
    ["half of JSON", '{"access_token":"T', 200, JSON_TYPE],
    ["a sentence", "Service unavailable", 200, "text/plain"],
    ["a refusal without a code", { message: "no" }, 403, JSON_TYPE],
    ["an error whose code is not a text", { error: { code: 190 } }, 400, JSON_TYPE],
    ["500 with an error", { error: "invalid_grant" }, 500, JSON_TYPE],
    ["503 with tokens", { access_token: "T" }, 503, JSON_TYPE],
    ["429 with an error", { error: "invalid_grant" }, 429, JSON_TYPE],
    ["408 with an error", { error: "invalid_grant" }, 408, JSON_TYPE],
  ])("%s", (_name, body, status, type) => {
    expect(read(body, { status, type })).toEqual({ kind: "unreadable", status });
  });
});
