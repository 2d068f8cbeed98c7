// Sends calls to the platform, with waits and retries.
import type { JsonObject, ToolContext } from "../../../src/tools";
import { exchange, jsonRequest } from "../../upstream/exchange";
import { parseExactly } from "../../upstream/number";
import {
  callWithRetries,
  type Failure,
  jittered,
  type Outcome,
  type Retries,
  timeOfTry,
} from "../../upstream/retry";
import { BACKOFF_MS, JITTER_MS, RESERVE_MS } from "../limits";
import { type Call, methodOf } from "../operation";
import { matchesNothing } from "./codes";
import { codeIn, failureOf } from "./failure";

/**
 * Sends a call and returns the body of a successful answer.
 *
 * Waits for a rate limit if the wait fits the time left. Retries a transient failure once: always for reads, for changes
 * only if the request did not arrive, never for calls that create something. If the outcome of a write is unknown, the
 * error says so. Throws `ToolError`.
 */
export function send(context: ToolContext, call: Call): Promise<JsonObject> {
  return callWithRetries(context, call.operation.name, (retries) => attempt(context, call, retries), {
    changes: !isRead(call),
    reportsUnknown: !isRead(call),
    limit: "calls",
    waitToRetry: (failure, repeats) => waitToRetry(context, call, failure, repeats),
  });
}

async function waitToRetry(
  context: ToolContext,
  call: Call,
  { retry, maybeDone, retryAfterMs }: Failure,
  retries: Retries,
): Promise<boolean> {
  if (retry === "later") {
    const backoff = BACKOFF_MS[retries.later];
    const ms = retryAfterMs ?? backoff ?? 0;
    if (backoff === undefined || !fits(context, ms)) return false;
    await context.sleep(ms);
    return true;
  }
  if (retries.now > 0 || !mayRetry(call, maybeDone) || !fits(context, JITTER_MS)) return false;
  await context.sleep(jittered(JITTER_MS));
  return true;
}

async function attempt(context: ToolContext, call: Call, retries: Retries): Promise<Outcome> {
  const { operation, address, body } = call;
  const request = {
    // The platform refuses an `Accept` with wildcards.
    ...jsonRequest(body),
    method: methodOf(operation),
    anonymous: operation.scope === "none",
    signal: context.signal,
    ...(isRead(call) && retries.now === 0 ? { timeoutMs: timeOfTry(context.deadline - context.now()) } : {}),
  };
  const answer = await exchange(context, "api", address, request, parseExactly);
  const { emptyWithoutMatch } = operation;
  // A search without a match is a result, not a failure.
  const code = codeIn(answer);
  if (emptyWithoutMatch !== undefined && matchesNothing(code) && answer.status < 500) {
    return { body: { code, [emptyWithoutMatch]: [] } };
  }
  return failureOf(context, call, answer) ?? { body: answer.body ?? {} };
}

function mayRetry(call: Call, maybeDone: boolean): boolean {
  if (isRead(call)) return true;
  return !maybeDone && !call.operation.kind.behavior.operations.includes("create");
}

function isRead({ operation }: Call): boolean {
  return operation.kind.behavior.read_only;
}

function fits(context: ToolContext, ms: number): boolean {
  return !context.signal.aborted && ms + RESERVE_MS < context.deadline - context.now();
}
