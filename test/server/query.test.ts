// Query strings: read like the platform's own parser reads them, whatever they hold.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Type } from "typebox";
import { queryOf } from "../../server/query";

const SCHEMA = Type.Object({
  text: Type.Optional(Type.String()),
  list: Type.Optional(Type.Array(Type.String())),
  count: Type.Optional(Type.Integer()),
  flag: Type.Optional(Type.Boolean()),
});

const read = (query: string): Record<string, unknown> =>
  queryOf(SCHEMA, new Request(`http://127.0.0.1/v1/tools${query}`));

describe("a query", () => {
  test.each<[string, Record<string, unknown>]>([
    ["", {}],
    ["?", {}],
    ["?text=a", { text: "a" }],
    ["?text=", { text: "" }],
    ["?text", { text: "" }],
    ["?text=a&text=b", { text: "b" }],
    ["?text=a=b", { text: "a=b" }],
    ["?text=a+b%20c", { text: "a b c" }],
    ["?text=%C3%A9", { text: "é" }],
    ["?&&text=a&", { text: "a" }],
    ["?text=a#text=b", { text: "a" }],
    ["?list=a,b&list=c", { list: ["a", "b", "c"] }],
    ["?list=a%2Cb,,", { list: ["a", "b"] }],
    ["?count=10&flag=true", { count: 10, flag: true }],
    ["?other=1&text=a", { text: "a" }],
    ["?__proto__=1&constructor=2", {}],
  ])("%s", (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  test.each([
    ["?count=x", "count"],
    ["?count=1.5", "count"],
    ["?flag=1", "flag"],
    ["?text=%00", "text"],
    ["?text=%FF", "text"],
  ])("%s is refused by the name of its parameter", (query, name) => {
    expect(() => read(query)).toThrow(name);
  });

  test.each([
    ["?txet=a", "txet is not a known field; did you mean text?"],
    ["?Text=a", "Text is not a known field; did you mean text?"],
    ["?cuont=1&fla-g=true", "cuont is not a known field; did you mean count?; fla-g is not"],
  ])("%s is refused with the name that was meant", (query, message) => {
    expect(() => read(query)).toThrow(`failed to validate query: ${message}`);
  });

  test("ignores other names, also many", () => {
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}=1`);
    expect(read(`?utm_source=x&page=2&tex=&${names.join("&")}&text=a`)).toEqual({ text: "a" });
  });

  test("says what the platform's parser says", () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9_.~!$'()*,;:@/?=&%+ é€-]{0,12}$/u);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("text", "list", "x"), part), { maxLength: 5 }),
        (pairs) => {
          const query = `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`;
          const { searchParams } = new URL(`http://127.0.0.1/${query}`);
          const texts = [...searchParams.getAll("text"), ...searchParams.getAll("list")];
          fc.pre(!texts.some((text) => text.includes("\uFFFD") || text.includes("\0")));
          const list = searchParams.getAll("list").flatMap((text) => text.split(",").filter(Boolean));

          const found = read(query);
          expect(found["text"]).toBe(searchParams.getAll("text").at(-1));
          expect(found["list"] ?? []).toEqual(list);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
