// Results that are cut for a model: never larger than the limit, always JSON, never half of a character.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { cut } from "../../src/llm/loop/result";

const LIMIT = 1024;

test("a text within the limit is unchanged", () => {
  expect(cut("é".repeat(512), LIMIT)).toBe("é".repeat(512));
});

test("a longer text becomes JSON with its beginning", () => {
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 5 }).map((part) => part.repeat(1500));
  fc.assert(
    fc.property(text, (whole) => {
      const shown = cut(whole, LIMIT);
      const { truncated, total_bytes: total, beginning } = JSON.parse(shown);
      expect([truncated, total]).toEqual([true, Buffer.byteLength(whole)]);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(LIMIT);
      expect(whole.startsWith(beginning)).toBe(true);
      expect(beginning.length).toBeGreaterThan(50);
    }),
  );
});
