// The first key that occurs twice in one object.
import { describe, expect, test } from "bun:test";
import { repeatedKey } from "../../../catalogs/upstream/repeated-key";

describe("duplicate keys", () => {
  test.each([
    ['{"a":1,"b":{"a":2}}', undefined],
    ['{"a":[{"b":1},{"b":2}]}', undefined],
    [String.raw`{"a\"":1,"a\\":2,"x":":,{}"}`, undefined],
    [String.raw`{"a":1,"\u0061":2}`, "a"],
    ['{"a":{"b":1,"c":2,"b":3}}', "b"],
    ['{"a":"a","b":"a"}', undefined],
  ])("%s", (text, key) => {
    expect(repeatedKey(text)).toBe(key);
  });
});
