// Fragments of a streamed message become one record.
import { describe, expect, test } from "bun:test";
import { merge } from "../../../src/llm/stream/merge";
import { growthOf } from "../../support/growth";

function record(...fragments: object[]): object {
  const whole = {};
  for (const fragment of fragments) merge(whole, { ...fragment });
  return whole;
}

describe("items of a list", () => {
  test("continue the one with their index, whatever came between", () => {
    const whole = record(
      {
        x: [
          { index: 0, type: "a", t: "one " },
          { index: 1, t: "other " },
        ],
      },
      { x: [{ index: 1, t: "more" }] },
      { x: [{ index: 0, t: "two" }] },
    );

    expect(whole).toEqual({
      x: [
        { index: 0, type: "a", t: "one two" },
        { index: 1, t: "other more" },
      ],
    });
  });

  test("of another type or id do not continue one", () => {
    const whole = record(
      { x: [{ index: 0, id: "a", t: "1" }] },
      { x: [{ index: 0, id: "b", t: "2" }] },
      { x: [{ index: 0, id: "a", t: "3" }] },
    );

    expect(whole).toEqual({
      x: [
        { index: 0, id: "a", t: "13" },
        { index: 0, id: "b", t: "2" },
      ],
    });
  });

  test("without an index continue the last one if both are text", () => {
    const text = (text: string) => ({ content: [{ type: "text", text }] });

    expect(record(text("a"), text("b"), { content: [{ type: "image", url: "u" }] }, text("c"))).toEqual({
      content: [
        { type: "text", text: "ab" },
        { type: "image", url: "u" },
        { type: "text", text: "c" },
      ],
    });
  });

  test("take as long each, however many there are", () => {
    const growth = growthOf(4_000, (items) => () => {
      const whole = {};
      for (let index = 0; index < items; index++) merge(whole, { x: [{ index, t: "a" }] });
      for (let index = 0; index < items; index++) merge(whole, { x: [{ index, t: "b" }] });
    });

    expect(growth).toBeLessThan(10);
  }, 60_000);
});
