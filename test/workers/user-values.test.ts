// Values in the headers and the environment of a worker: secrets of the record, and the calling user's.
import { describe, expect, test } from "bun:test";
import { Redacted, reveal } from "../../src/base";
import { filledTexts, headerUserId, referredTo, userKeysOf } from "../../src/workers/user-values";

const user = (keys: Record<string, string>, id = "alice") => ({
  id,
  keys: Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, new Redacted(value)])),
});
const shown = (filled: Record<string, string | Redacted>): Record<string, string> =>
  Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, reveal(value)]));

describe("texts are filled", () => {
  test("with secrets, keys and the user's id", () => {
    const texts = { a: "${secret:S}-${user.my.Key-1}-${user_id}", b: "plain", c: "${user_id}" };
    const filled = filledTexts(texts, { secrets: { S: "s" }, user: user({ "my.Key-1": "k" }) });

    expect(shown(filled)).toEqual({ a: "s-k-alice", b: "plain", c: "alice" });
    expect(filled["a"]).toBeInstanceOf(Redacted);
  });

  test("without reading a value as a placeholder", () => {
    const secrets = { S: "${user.k}${user_id}" };
    const texts = { a: "${secret:S}", b: "${user.k}", c: "${user_id}" };
    const by = user({ k: "${secret:S}${user_id}" }, "${secret:S}");

    expect(shown(filledTexts(texts, { secrets, user: by }))).toEqual({
      a: "${user.k}${user_id}",
      b: "${secret:S}${user_id}",
      c: "${secret:S}",
    });
  });

  test("for a user who lacks a key, or without a user, without what names it", () => {
    const texts = { a: "${user.k}", b: "${user_id}", c: "${secret:S}" };

    expect(shown(filledTexts(texts, { secrets: { S: "s" }, user: user({}) }))).toEqual({
      b: "alice",
      c: "s",
    });
    expect(shown(filledTexts(texts, { secrets: { S: "s" } }))).toEqual({ c: "s" });
  });

  test("with keys of the user's own properties only", () => {
    expect(shown(filledTexts({ a: "${user.constructor}" }, { secrets: {}, user: user({}) }))).toEqual({});
  });

  test("with the encoding of basic credentials behind their scheme", () => {
    const texts = { a: "Basic ${user.k}", b: "${user.k}" };

    expect(shown(filledTexts(texts, { secrets: {}, user: user({ k: "a:b" }) }))).toEqual({
      a: `Basic ${btoa("a:b")}`,
      b: "a:b",
    });
  });
});

test("the names in texts are found", () => {
  expect(userKeysOf({ a: "${user.one} ${user.two}", b: "${user.one}", c: "${secret:S}" })).toEqual([
    "one",
    "two",
  ]);
  expect(referredTo("${secret:S} ${user.one}")).toEqual(["S"]);
});

test("two users never have the same form in a header", () => {
  const ids = ["a", "a ", " a", "a%20", "A", "ä", "a\u0308", "%C3%A4", "a\n", "😀", "\u{1F600}x"];
  const forms = ids.map(headerUserId);

  expect(new Set(forms).size).toBe(new Set(ids).size);
  for (const form of forms) expect(form).toMatch(/^[\x21-\x7e]+$/);
});
