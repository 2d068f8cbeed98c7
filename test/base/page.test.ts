// Pages by offset: defaults, the maximum, and the numbers of a page.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { fieldErrors, page, paging, wholePage } from "../../src/base";
import { pageOf } from "../../src/base/schema";
import { RuntimeError } from "../../src/errors";

describe("paging", () => {
  test.each([
    ["defaults", {}, { limit: 25, offset: 0 }],
    ["the requested values", { limit: 10, offset: 40 }, { limit: 10, offset: 40 }],
    ["the smallest page", { limit: 1 }, { limit: 1, offset: 0 }],
    ["the largest page", { limit: 100 }, { limit: 100, offset: 0 }],
    ["the maximum for a larger one", { limit: 1000 }, { limit: 100, offset: 0 }],
    ["a far offset", { offset: 1_000_000 }, { limit: 25, offset: 1_000_000 }],
    ["defaults for undefined values", { limit: undefined, offset: undefined }, { limit: 25, offset: 0 }],
  ])("gives %s", (_what, request, expected) => {
    expect(paging(request)).toEqual(expected);
  });

  test.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: -1 }],
    ["offset", { offset: -1 }],
  ])("refuses %s out of range: %j", (field, request) => {
    expect(() => paging(request)).toThrow(RuntimeError);
    expect(() => paging(request)).toThrow(
      expect.objectContaining({ name: "invalid_parameter", message: expect.stringContaining(field) }),
    );
  });
});

describe("a page", () => {
  test("has its items, the total and its position", () => {
    expect(page(["a", "b"], 7, { limit: 2, offset: 4 })).toEqual({
      items: ["a", "b"],
      total_count: 7,
      offset: 4,
      limit: 2,
      page_count: 2,
    });
  });

  test("beyond the end is empty and keeps the total", () => {
    expect(page([], 7, { limit: 2, offset: 90 })).toMatchObject({ total_count: 7, page_count: 0 });
  });

  test("of a list without paging has all items", () => {
    expect(wholePage(["a", "b", "c"])).toEqual({
      items: ["a", "b", "c"],
      total_count: 3,
      offset: 0,
      limit: 3,
      page_count: 3,
    });
  });

  test("matches its schema; a page of other items does not", () => {
    const schema = pageOf(Type.String());

    expect(fieldErrors(schema, wholePage(["a"]))).toEqual([]);
    expect(fieldErrors(schema, wholePage([1]))).not.toEqual([]);
  });
});
