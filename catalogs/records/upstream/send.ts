// The one way to the platform: a call with its waits and its repeat.
import { type JsonObject, outcomeUnknown, type ToolContext, networkFailureOf } from "../../../src/tools";
import { BACKOFF_MS, JITTER_MS, RESERVE_MS } from "../limits";
import { NO_MATCH } from "./codes";
import { type Call, exchange } from "./exchange";
import { codeIn, type Failure, failureOf } from "./failure";

/**
 * Sends a call and returns the body of a successful answer.
 *
 * A rate limit is waited for where the wait fits the time left. A failure that may pass is answered by one more try:
 * for reads always, for changes when the request surely did not arrive, for what creates something never. When nobody
 * knows whether a write was done, the error says so. Throws `ToolError`.
 */
export async function send(context: ToolContext, call: Call): Promise<JsonObject> {
  let waits = 0;
  let repeated = false;
  for (;;) {
    const outcome = await attempt(context, call);
    if ("body" in outcome) return outcome.body;
    const { error, again, maybeDone, askedMs } = outcome;
    if (again === "later") {
      const backoff = BACKOFF_MS[waits++];
      const ms = askedMs ?? backoff ?? 0;
      if (backoff === undefined || !fits(context, ms)) throw error;
      await context.sleep(ms);
    } else {
      if (again === "never" || repeated || !mayRepeat(call, maybeDone) || !fits(context, JITTER_MS)) {
        throw maybeDone && !isRead(call) ? outcomeUnknown(error) : error;
      }
      repeated = true;
      await context.sleep(Math.round(JITTER_MS * (0.5 + Math.random())));
    }
  }
}

async function attempt(context: ToolContext, call: Call): Promise<{ body: JsonObject } | Failure> {
  try {
    const answer = await exchange(context, call);
    const { emptyWithoutMatch } = call.operation;
    // A search without a match is a result, not a failure.
    if (emptyWithoutMatch !== undefined && codeIn(answer) === NO_MATCH && answer.status < 500) {
      return { body: { code: NO_MATCH, [emptyWithoutMatch]: [] } };
    }
    return failureOf(context, call, answer) ?? { body: answer.body ?? {} };
  } catch (thrown) {
    const { passing, ...failure } = networkFailureOf(thrown, call.operation.name);
    return { ...failure, again: passing ? "now" : "never" };
  }
}

function mayRepeat(call: Call, maybeDone: boolean): boolean {
  if (isRead(call)) return true;
  return !maybeDone && !call.operation.kind.behavior.operations.includes("create");
}

function isRead({ operation }: Call): boolean {
  return operation.kind.behavior.read_only;
}

function fits(context: ToolContext, ms: number): boolean {
  return !context.signal.aborted && ms + RESERVE_MS < context.deadline - context.now();
}
