// Other work goes on while thousands of tools are indexed.
import { expect, test } from "bun:test";
import { Registry } from "../../src/tools/registry";
import { ToolSearch } from "../../src/tools/search";
import { wholeRegistry } from "./catalog";

test("the index does not stop other work while it is made", async () => {
  const pauses: number[] = [];
  for (let round = 0; round < 3; round++) pauses.push(await longestPause());

  // About 10 ms are measured on an idle machine.
  expect(Math.min(...pauses)).toBeLessThan(150);
});

/** The longest time in which nothing else ran while all tools were indexed. */
async function longestPause(): Promise<number> {
  const registry = wholeRegistry();
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const watch = setInterval(look, 1);
  await new ToolSearch(new Registry([])).ranked("p", registry, [], "send a message");
  clearInterval(watch);
  look();
  return longest;
}
