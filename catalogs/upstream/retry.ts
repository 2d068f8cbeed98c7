// Calls with repeats: one loop for all platforms; when and how often to repeat is each platform's policy.
import {
  type JsonObject,
  networkFailureOf,
  outcomeUnknown,
  type ToolError,
  upstreamRateLimited,
} from "../../src/tools";

/** Whether and when a repeat may succeed: at once, after the wait that the platform asks for, or never. */
type Again = "now" | "later" | "never";

export interface Failure {
  error: ToolError;
  again: Again;
  /** The platform may have done it all the same. */
  maybeDone: boolean;
  /** How long the platform asks the client to wait, if it does. */
  retryAfterMs?: number | undefined;
}

export type Outcome = { body: JsonObject } | Failure;

/** How often the call was repeated so far, by the kind of failure. */
export type Repeats = Readonly<Record<"now" | "later", number>>;

export interface RetryPolicy {
  /** The error says so when nobody knows whether the call was done. */
  reportsUnknown: boolean;
  /** Waits until the call may be repeated; false when this failure is final. May throw a `ToolError` instead. */
  waitToRepeat(failure: Failure, repeats: Repeats): Promise<boolean>;
}

/**
 * Makes attempts until one succeeds or the policy ends the call; returns the body of the answer. Throws `ToolError`.
 *
 * @param method the platform's method, for the log
 */
export async function callWithRetries(
  method: string,
  attempt: () => Promise<Outcome>,
  policy: RetryPolicy,
): Promise<JsonObject> {
  const repeats = { now: 0, later: 0 };
  for (;;) {
    const outcome = await attempt().catch((thrown: unknown) => unanswered(thrown, method));
    if ("body" in outcome) return outcome.body;
    const { error, again, maybeDone } = outcome;
    if (again === "never" || !(await policy.waitToRepeat(outcome, repeats))) {
      throw policy.reportsUnknown && maybeDone ? outcomeUnknown(error) : error;
    }
    repeats[again]++;
  }
}

/** A failure that no repeat can change, of a call that was not done. */
export function final(error: ToolError): Failure {
  return { error, again: "never", maybeDone: false };
}

/** @param said what the platform says about it */
export function rateLimitReached(developerMessage: string, retryAfterMs: number, said?: string): ToolError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const message = `The platform's rate limit is reached: try again in ${seconds} s.`;
  return upstreamRateLimited(said === undefined ? message : `${message} ${said}`, {
    developerMessage,
    retryAfterMs,
  });
}

/** A wait of random length around the given one, so that many clients do not return at the same instant. */
export function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random()));
}

function unanswered(thrown: unknown, method: string): Failure {
  const { passing, ...failure } = networkFailureOf(thrown, method);
  return { ...failure, again: passing ? "now" : "never" };
}
