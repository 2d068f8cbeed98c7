// A call of one user with the key of another. The long run makes 10,000 calls (test/long/two-users.long.ts).
import { expect, test } from "bun:test";
import { printFigure } from "./figure";
import { callAsTwoUsers, KINDS } from "./two-users";

test("two users with own keys at each kind of worker never call with the other's key", async () => {
  const { calls, foreign, failed, canaries } = await callAsTwoUsers(500, 1);
  const kinds = Object.keys(KINDS).length;
  printFigure(
    "users' own keys",
    `${calls} calls of 2 users at ${kinds} workers: ${foreign} foreign keys, ${canaries.length} keys found`,
  );

  expect({ calls, foreign, failed, canaries }).toEqual({ calls: 500, foreign: 0, failed: 0, canaries: [] });
}, 60_000);
