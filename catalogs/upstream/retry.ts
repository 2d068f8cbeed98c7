// The retry loop of all platforms. Each platform has its own policy for when and how often to retry.
import {
  GrantDead,
  type JsonObject,
  networkFailureOf,
  outcomeUnknown,
  type ToolContext,
  type ToolError,
  upstreamRateLimited,
} from "../../src/tools";
import { block, blockedMs } from "./blocks";

/** Whether and when a retry may succeed: at once, after the wait that the platform requests, or never. */
type Retry = "now" | "later" | "never";

export interface Failure {
  error: ToolError;
  retry: Retry;
  /** The platform may have done it despite the failure. */
  maybeDone: boolean;
  /** The wait that the platform requests. */
  retryAfterMs?: number | undefined;
}

export type Outcome = { body: JsonObject } | Failure;

/** How often the call was retried so far, by the kind of failure. */
export type Retries = Readonly<Record<"now" | "later", number>>;

export interface RetryPolicy {
  /** Whether the call changes something at the platform. */
  changes: boolean;
  /** Whether the error must say that the outcome is unknown. */
  reportsUnknown: boolean;
  /** The limit that the call counts against, if a wait that the platform requests holds for later runs too. */
  limit?: string | undefined;
  /** Waits until the call may be retried; false if this failure is final. May throw a `ToolError` instead. */
  waitToRetry(failure: Failure, retries: Retries): Promise<boolean>;
}

/**
 * Calls `attempt` until it succeeds or the policy ends the call. If the token is refused, repeats the call once with a
 * renewed one: the refused call was not done, and earlier calls of the run are not repeated. Returns the body of the answer.
 * Throws `ToolError`.
 *
 * @param method the platform's method, for the log
 */
export async function callWithRetries(
  context: Pick<ToolContext, "renew" | "reportEffect" | "cache" | "memory" | "now">,
  method: string,
  attempt: (retries: Retries) => Promise<Outcome>,
  policy: RetryPolicy,
): Promise<JsonObject> {
  const retries = { now: 0, later: 0 };
  let isRenewed = false;
  let isKnown = false;
  for (;;) {
    const known = isKnown ? undefined : await knownLimit(context, policy.limit, method);
    isKnown = true;
    const outcome = known ?? (await attempt(retries).catch((thrown: unknown) => unanswered(thrown, method)));
    if (policy.changes && ("body" in outcome || outcome.maybeDone)) context.reportEffect();
    if ("body" in outcome) return outcome.body;
    const { error, retry, maybeDone } = outcome;
    if (error instanceof GrantDead && !isRenewed && (await context.renew())) {
      isRenewed = true;
      continue;
    }
    const retried = retry !== "never" && (await waitOrRemember(context, policy, outcome, retries));
    if (!retried) throw policy.reportsUnknown && maybeDone ? outcomeUnknown(error) : error;
    retries[retry]++;
  }
}

/** The failure of a call under a limit that an earlier run was told, and that has not ended. */
async function knownLimit(
  context: Pick<ToolContext, "cache" | "memory" | "now">,
  limit: string | undefined,
  method: string,
): Promise<Failure | undefined> {
  const ms = limit === undefined ? 0 : await blockedMs(context, limit);
  if (ms === 0) return undefined;
  return {
    error: rateLimitReached(`${method}: rate limit`, ms),
    retry: "later",
    maybeDone: false,
    retryAfterMs: ms,
  };
}

/** Whether the call is retried after a wait. Otherwise later runs are told how long the platform wants them to wait. */
async function waitOrRemember(
  context: Pick<ToolContext, "cache" | "memory" | "now">,
  { limit, waitToRetry }: RetryPolicy,
  failure: Failure,
  retries: Retries,
): Promise<boolean> {
  const remember = async (): Promise<void> => {
    if (failure.retry !== "later" || limit === undefined || failure.retryAfterMs === undefined) return;
    await block(context, limit, failure.retryAfterMs);
  };
  try {
    if (await waitToRetry(failure, retries)) return true;
  } catch (error) {
    await remember();
    throw error;
  }
  await remember();
  return false;
}

/** The time of a try when another one may follow: an answer that does not come must leave time for it. */
export function timeOfTry(leftMs: number): number {
  return Math.max(1, Math.ceil(leftMs / 2));
}

/** The failure of a call that was not done and cannot succeed by a retry. */
export function final(error: ToolError): Failure {
  return { error, retry: "never", maybeDone: false };
}

/** @param explanation the platform's own message */
export function rateLimitReached(
  developerMessage: string,
  retryAfterMs: number,
  explanation?: string,
): ToolError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const message = "The platform's rate limit is reached.";
  return upstreamRateLimited(explanation === undefined ? message : `${message} ${explanation}`, {
    developerMessage,
    advice: `Try again in ${seconds} s.`,
    retryAfterMs,
  });
}

/** A random wait with the given mean, so that many clients do not retry at the same instant. */
export function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random()));
}

function unanswered(thrown: unknown, method: string): Failure {
  const { transient, ...failure } = networkFailureOf(thrown, method);
  return { ...failure, retry: transient ? "now" : "never" };
}
