// 2,000 requests at random, the same ones every time. test/long/fuzz.long.ts sends 20,000 others.
import { expect, test } from "bun:test";
import { fuzz } from "./fuzz";

test("no request at random is answered by anything that is not declared, and a quarter of them succeed", async () => {
  const figures = await fuzz({ requests: 2_000, seed: 20_260_101 });

  expect(figures.requests).toBe(2_000);
  expect(figures.neverSucceeded).toEqual([]);
  expect(figures.succeeded).toBeGreaterThan(figures.requests / 4);
  expect(figures.planted).toBeGreaterThan(200);
}, 120_000);
