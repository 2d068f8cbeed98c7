// The refresh storm against a token endpoint as slow as they get: test/processes/storm.test.ts has the quick ones.
import { expect, test } from "bun:test";
import { sentenceOf, storm } from "../processes/storm";

test("200 calls over four processes, and a token endpoint that takes 15 s: one refresh, 200 successes", async () => {
  const result = await storm((chat) => chat.fail("refresh", { kind: "delay", ms: 15_000 }));
  process.stdout.write(sentenceOf("a token endpoint that takes 15 s", result));

  expect(result).toMatchObject({ refreshes: 1, succeeded: 200, others: [], connection: "active" });
}, 120_000);
