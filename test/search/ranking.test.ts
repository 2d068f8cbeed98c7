// How often the right tool is among the first ones, for questions that were written before the search.
import { describe, expect, test } from "bun:test";
import { ToolSearch } from "../../src/tools/search";
import { wholeRegistry } from "./catalog";
import { HELD_OUT, type Question, TUNING } from "./questions";

const registry = wholeRegistry();
const search = new ToolSearch(registry);

describe("the right tool or an equivalent", () => {
  test.each([
    ["tuned", TUNING],
    ["held-out", HELD_OUT],
  ])(
    "of %s questions is among the first five in 40 of 50, and among the first ten in 45",
    async (_half, half) => {
      const places = await Promise.all(half.map(placeOf));

      expect(places.filter((place) => place < 5).length).toBeGreaterThanOrEqual(40);
      expect(places.filter((place) => place < 10).length).toBeGreaterThanOrEqual(45);
    },
  );
});

async function namesFor(text: string): Promise<string[]> {
  return (await search.ranked("p", registry, registry.tools, text)).map(({ qualifiedName }) => qualifiedName);
}

/** The place of the first answer, from 0. */
async function placeOf({ ask, answers }: Question): Promise<number> {
  const place = (await namesFor(ask)).findIndex((name) => answers.includes(name));
  return place < 0 ? Infinity : place;
}
