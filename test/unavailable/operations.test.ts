// The database goes away in the middle of a request: every operation is then 503 and says when to try again, or has done
// without what failed. It is never a refusal, which a client would believe.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROWS, type RowStage, sendAs, startRowStage } from "../server/operation-rows";
import { at } from "../support/api";
import { Failing } from "../support/failing-store";

/** Their 503 is a finding and not an error; test/server/readiness.test.ts is about them. */
const PROBES = ["service-health", "service-ready"];
const rows = Object.entries(ROWS).filter(([id]) => !PROBES.includes(id));
/** More questions than an operation asks, but for the rotation of a data key. */
const MOST = 60;

describe.each([
  ["from a question on", false],
  ["for one question", true],
])("the database fails %s:", (_name, once) => {
  const failing = new Failing();
  let stage: RowStage;
  beforeAll(async () => {
    stage = await startRowStage({ parts: { openStore: failing.openStore } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  // In the order of the table, in which each succeeds.
  test.each(rows)("%s", async (id, row) => {
    for (let question = 1; question < MOST; question++) {
      failing.from(question, once);
      const { status, headers, body } = await sendAs(stage, [id, row], "admin");
      const hasFailed = failing.end();

      const retryAfter = headers.get("retry-after");
      // An earlier request may have stored the record before a later question failed.
      const isStored = ["conflict", "already_exists"].includes(String(at(body, "name")));
      const expected = hasFailed && !(isStored && question > 1) ? row.success : status;
      expect({ status, retryAfter }).toEqual(
        status === 503 ? { status, retryAfter: "1" } : { status: expected, retryAfter: null },
      );
      if (status !== 503) return;
    }
  });
});
