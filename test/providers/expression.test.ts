// The expressions of `response_map`.
import { describe, expect, test } from "bun:test";
import type { Json } from "../../src/base";
import { parseExpression } from "../../src/providers";

function jwt(claims: object): string {
  return `header.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
}

const ANSWER: Json = {
  a: { b: "deep", "x-y": 1, list: [{ id: "first" }, { id: "second" }] },
  "https://p.example/scope": "named",
  "it's": "quoted",
  none: null,
  zero: 0,
  no: false,
  scopes: ["a", "b", 3],
  empty: [],
  token: jwt({ scopes: ["x", "y"], name: "Zoë", nested: { id: 7 } }),
  envelope: { id_token: jwt({ inner: jwt({ scope: "p q" }) }) },
};

describe("a path", () => {
  test.each<[string, Json | undefined]>([
    ["$", ANSWER],
    ["$.a.b", "deep"],
    ["  $.a.b  ", "deep"],
    ["$.a.x-y", 1],
    ["$.a.list[1].id", "second"],
    ["$.a.list[2].id", undefined],
    ["$.a.list.id", undefined],
    ["$['https://p.example/scope']", "named"],
    ["$['a']['list'][0]['id']", "first"],
    ["$.none", null],
    ["$.none.further", undefined],
    ["$.zero", 0],
    ["$.no", false],
    ["$.missing", undefined],
    ["$.a.b.c", undefined],
    ["$.constructor", undefined],
    ["$.__proto__.x", undefined],
    ["$.scopes.length", undefined],
  ])("%s", (text, value) => {
    expect(parseExpression(text)(ANSWER)).toEqual(value as never);
  });
});

describe("join", () => {
  test.each<[string, Json | undefined]>([
    ["join('$.scopes',' ')", "a b 3"],
    ["join('$.scopes', ' ')", "a b 3"],
    ["join($.scopes,' ')", "a b 3"],
    ["join( '$.scopes' , ',' )", "a,b,3"],
    ["join('$.scopes',', ')", "a, b, 3"],
    ["join('$.scopes',')')", "a)b)3"],
    ["join('$.scopes','(')", "a(b(3"],
    ["join('$.scopes','')", "ab3"],
    ["join('$.empty',' ')", ""],
    ["join('$.a.b',' ')", "deep"],
    ["join('$.none',' ')", null],
    ["join('$.missing',' ')", undefined],
  ])("%s", (text, value) => {
    expect(parseExpression(text)(ANSWER)).toEqual(value as never);
  });
});

describe("jwt_decode", () => {
  test.each<[string, Json | undefined]>([
    ["jwt_decode('$.token','$.name')", "Zoë"],
    ["jwt_decode('$.token','$.nested.id')", 7],
    ["jwt_decode('$.token','$.missing')", undefined],
    ["jwt_decode('$.a.b','$.name')", undefined],
    ["jwt_decode('$.scopes','$.name')", undefined],
    ["jwt_decode('$.missing','$.name')", undefined],
  ])("%s", (text, value) => {
    expect(parseExpression(text)(ANSWER)).toEqual(value as never);
  });

  test("keeps every digit of a number, so that two accounts stay different", () => {
    const payload = Buffer.from('{"sub":12345678901234567891}').toString("base64url");

    expect(parseExpression("jwt_decode('$.t','$.sub')")({ t: `h.${payload}.s` })).toBe(
      "12345678901234567891",
    );
  });

  test("of text that is not JSON has no value", () => {
    const broken = `h.${Buffer.from("not json").toString("base64url")}.s`;

    expect(parseExpression("jwt_decode('$.t','$.x')")({ t: broken })).toBeUndefined();
  });
});

describe("nested", () => {
  test.each<[string, Json | undefined]>([
    ["join(jwt_decode('$.token','$.scopes'),' ')", "x y"],
    ["join(jwt_decode('$.token','$.scopes'),')')", "x)y"],
    ["jwt_decode(jwt_decode('$.envelope.id_token','$.inner'),'$.scope')", "p q"],
    ["join( jwt_decode( '$.token' , '$.scopes' ) , ',' )", "x,y"],
    ["join(join('$.scopes',')'),'(')", "a)b)3"],
  ])("%s", (text, value) => {
    expect(parseExpression(text)(ANSWER)).toEqual(value as never);
  });
});

describe("not an expression", () => {
  test.each([
    "",
    "access_token",
    "$access_token",
    "$.",
    "$..a",
    "$.a.",
    "$.a[",
    "$.a[x]",
    "$.a[-1]",
    "$.a[*]",
    "$.*",
    "$.a b",
    "$['a",
    "$.a; drop",
    "split('$.a',' ')",
    "JOIN('$.a',' ')",
    "join",
    "join()",
    "join('$.a')",
    "join('$.a',' ','x')",
    "join('$.a',' '",
    "join('$.a',' ')) ",
    "join('$.a,' ')",
    "join(('$.a',' ')",
    "join('a',' ')",
    "jwt_decode('$.a','claim')",
    "jwt_decode('$.a',jwt_decode('$.b','$.c'))",
    "constructor('$.a',' ')",
  ])("%s", (text) => {
    expect(() => parseExpression(text)).toThrow(SyntaxError);
  });
});
