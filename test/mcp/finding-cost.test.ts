// What a thousand tools cost the model of a client when it connects.
import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer";
import { recordedCatalogs } from "../search/catalog";
import { client, startMcpSite, valueAt } from "./site";

const THOUSAND = 1000;

/** Whole toolkits until there are a thousand tools. */
function someCatalogs() {
  let total = 0;
  return recordedCatalogs().filter(({ tools }) => {
    const isNeeded = total < THOUSAND;
    total += isNeeded ? tools.length : 0;
    return isNeeded;
  });
}

test("at a gateway with search, a client of each family reads at most 1,500 tokens for a thousand tools", async () => {
  await using site = await startMcpSite({ catalogs: someCatalogs() });
  const key = await site.key();
  const finding = await site.gateway("finding", { tool_filter: { discovery: { enabled: true } } });
  const plain = client(await site.gateway("plain"), { key, user: "alice" });
  const own = client(finding, { key, user: "alice" });
  const tokensOf = (result: unknown): number => countTokens(JSON.stringify(result));

  const { answer } = await own.initialize();
  const legacy = [answer, await own.legacy("tools/list")];
  const modern = [await own.modern("server/discover"), await own.modern("tools/list")];

  for (const answers of [legacy, modern]) {
    const results = answers.map((each) => valueAt(each, "result"));
    expect(results.every((result) => typeof result === "object")).toBe(true);
    const tokens = results.map(tokensOf).reduce((total, each) => total + each, 0);
    expect(tokens).toBeGreaterThan(100);
    expect(tokens).toBeLessThanOrEqual(1500);
  }
  const firstHundred = valueAt(await plain.legacy("tools/list"), "result");
  expect(tokensOf(firstHundred)).toBeGreaterThan(10_000);
});
