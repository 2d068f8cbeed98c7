// 200 calls in four processes with an expired single-use token. test/long/storm.long.ts has a token endpoint that takes
// 15 s.
import { describe, expect, test } from "bun:test";
import type { Fault } from "../sandbox/chat";
import { sentenceOf, storm } from "./storm";

test.each<[string, Fault | undefined]>([
  ["a token endpoint that answers at once", undefined],
  ["a token endpoint that takes 1.5 s", { kind: "delay", ms: 1500 }],
])(
  "with %s: one refresh, 200 successes [fault: refresh-race]",
  async (name, fault) => {
    const result = await storm((chat) => {
      if (fault !== undefined) chat.fail("refresh", fault);
    });
    process.stdout.write(sentenceOf(name, result));

    expect(result).toEqual({
      refreshes: 1,
      succeeded: 200,
      retryable: 0,
      succeededThen: 0,
      others: [],
      tokens: 1,
      connection: "active",
    });
  },
  60_000,
);

// Callers that waited for the failed refresh get a retryable error. The next caller refreshes again.
describe("when the first refresh fails without an answer about the grant", () => {
  test.each<[string, Fault]>([
    ["the connection is reset", { kind: "reset_before" }],
    ["503 with a page", { kind: "server_error", status: 503 }],
  ])(
    "(%s): a second refresh follows, and all 200 calls succeed, some after a retry [fault: stuck-refresh]",
    async (name, fault) => {
      const result = await storm((chat) => chat.fail("refresh", fault));
      process.stdout.write(sentenceOf(name, result));

      expect(result.others).toEqual([]);
      expect(result.refreshes).toBe(2);
      expect(result.succeeded + result.retryable).toBe(200);
      // Only the callers in the process whose refresh failed get an error.
      expect(result.retryable).toBeWithin(1, 51);
      expect(result.succeededThen).toBe(result.retryable);
      expect([result.tokens, result.connection]).toEqual([1, "active"]);
    },
    60_000,
  );
});
