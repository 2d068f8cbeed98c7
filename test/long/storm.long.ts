// The refresh storm with a very slow token endpoint: test/processes/storm.test.ts has the fast ones.
import { expect, test } from "bun:test";
import { sentenceOf, storm } from "../processes/storm";

test("200 calls in four processes succeed with one refresh by a token endpoint that takes 15 s", async () => {
  const result = await storm((chat) => chat.fail("refresh", { kind: "delay", ms: 15_000 }));
  process.stdout.write(sentenceOf("a token endpoint that takes 15 s", result));

  expect(result).toMatchObject({ refreshes: 1, succeeded: 200, others: [], connection: "active" });
}, 120_000);
