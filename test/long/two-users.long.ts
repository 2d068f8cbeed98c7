// Two users with own keys at each kind of worker: 10,000 calls, in turns and at once.
import { expect, test } from "bun:test";
import { scaled } from "../support/long";
import { callAsTwoUsers } from "../threats/two-users";

test("10,000 calls of two users have no key of the other, and no key is found anywhere", async () => {
  const total = scaled(10_000);
  const { calls, foreign, failed, canaries } = await callAsTwoUsers(total, 2);
  console.log(`${calls} calls of 2 users: ${foreign} foreign keys, ${canaries.length} keys found`);

  expect({ calls, foreign, failed, canaries }).toEqual({ calls: total, foreign: 0, failed: 0, canaries: [] });
}, 600_000);
