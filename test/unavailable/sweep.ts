// Sends a request again and again, while the database fails at its first question, its second one, and so on.
import { expect } from "bun:test";
import type { Failing } from "../support/failing-store";

export interface Answer {
  status: number;
  headers: Headers;
}

/** How the database fails. */
export const FAILURES: [name: string, once: boolean][] = [
  ["from a question on", false],
  ["for one question", true],
];

/** More questions than any of the requests asks. */
const MOST = 60;

/**
 * Until no question fails. `prepare` returns the request, whose statuses without a failure are `good`. With a failure the
 * answer is 503 and says when to try again, or the request was handled without what has failed.
 */
export async function sweep(
  failing: Failing,
  once: boolean,
  good: readonly number[],
  prepare: () => Promise<() => Promise<Answer>>,
): Promise<void> {
  let unavailable = 0;
  for (let question = 1; question < MOST; question++) {
    const send = await prepare();
    failing.from(question, once);
    const { status, headers } = await send();
    const hasFailed = failing.end();

    const retryAfter = headers.get("retry-after");
    if (status === 503) unavailable++;
    if (hasFailed && status === 503) expect({ question, retryAfter }).toEqual({ question, retryAfter: "1" });
    else expect({ question, good: good.includes(status), status }).toEqual({ question, good: true, status });
    if (!hasFailed) break;
  }
  expect(unavailable).toBeGreaterThan(0);
}
