// The client of the platform: calls with quotas, waits and retries.
import { type JsonObject, parsePlainJson, type ToolContext, ToolError } from "../../src/tools";
import { type Answer, exchange, jsonRequest } from "../upstream/exchange";
import { Limiter } from "../upstream/limiter";
import { callWithRetries, type Failure, type Outcome, type Retries, timeOfTry } from "../upstream/retry";
import {
  BACKOFF_MS,
  IN_FLIGHT,
  JITTER_MS,
  LIMITER_MS,
  LONGEST_BACKOFF_MS,
  MAX_ATTEMPTS,
  RESERVE_MS,
} from "./limits";
import { addressOf, type Call } from "./upstream/call";
import { failureOf } from "./upstream/failure";
import { withKnownFiles } from "./upstream/known-files";
import { Quotas } from "./upstream/quota";

/** Writers of all users of this process, by spreadsheet: two that find a sheet too small must not both enlarge it. */
const writers = new Map<string, Limiter>();

/** One per tool run. */
export class SheetsClient {
  readonly context: ToolContext;
  readonly #quotas: Quotas;

  constructor(context: ToolContext) {
    this.context = context;
    this.#quotas = new Quotas(context);
  }

  /**
   * Sends a call and returns the body of a successful answer.
   *
   * A transient failure is retried, with up to four attempts in all, after the wait that the platform requests or a
   * growing one, as long as it fits the run's time. A call that must not be done twice is retried only if nothing was
   * done; if the outcome is unknown, the error says so. Throws `ToolError`.
   */
  async call(call: Call): Promise<JsonObject> {
    try {
      return await this.#call(call);
    } catch (error) {
      throw await withKnownFiles(error, call, (other) => this.#call(other));
    }
  }

  #call(call: Call): Promise<JsonObject> {
    const once = call.once === true;
    const attempt = ({ now, later }: Retries) => {
      const isLast = once || now + later + 1 >= MAX_ATTEMPTS;
      return this.#limiter().run(() => this.#attempt(call, isLast));
    };
    return callWithRetries(this.context, call.method, attempt, {
      changes: call.quota === "writes",
      reportsUnknown: once,
      limit: call.quota,
      waitToRetry: async (failure, { now, later }) => {
        if (once && failure.maybeDone) return false;
        await this.#wait(failure, now + later + 1);
        return true;
      },
    });
  }

  /** Work that writes to a spreadsheet: one run at a time. */
  async alone<T>(spreadsheetId: string, work: () => Promise<T>): Promise<T> {
    const limiter = writers.get(spreadsheetId) ?? new Limiter(1);
    writers.set(spreadsheetId, limiter);
    try {
      return await limiter.run(work);
    } finally {
      if (limiter.isIdle) writers.delete(spreadsheetId);
    }
  }

  /** Throws `ToolError` (rate limit) unless the user has this many writes left, so that no work is left half done. */
  requireWrites(count: number, method: string): void {
    this.#quotas.require("writes", count, method);
  }

  /** Limits the concurrent calls of this user over all runs. */
  #limiter(): Limiter {
    const { lasting } = this.context.cache;
    const limiter = lasting.get<Limiter>("calls") ?? new Limiter(IN_FLIGHT);
    lasting.set("calls", limiter, LIMITER_MS);
    return limiter;
  }

  async #attempt(call: Call, isLast: boolean): Promise<Outcome> {
    if (call.quota !== undefined) this.#quotas.spend(call.quota, call.method);
    const answer = await send(this.context, call, isLast);
    return failureOf(call, answer) ?? { body: answer.body ?? {} };
  }

  /** Throws the error if there are no attempts left, or if the run ends before the next one. */
  async #wait({ error, retryAfterMs }: Failure, attempts: number): Promise<void> {
    const pause = retryAfterMs ?? backoff(attempts);
    if (attempts === MAX_ATTEMPTS || !this.#fits(pause)) throw withWait(error, pause);
    await this.context.sleep(pause);
    if (this.context.signal.aborted) throw withWait(error, pause);
  }

  #fits(ms: number): boolean {
    return this.context.now() + ms + RESERVE_MS < this.context.deadline;
  }
}

/** Before the second attempt 1 to 2 s, before the third 2 to 3 s, then 4 to 5 s. */
function backoff(attempts: number): number {
  return Math.min(BACKOFF_MS * 2 ** (attempts - 1) + Math.random() * JITTER_MS, LONGEST_BACKOFF_MS);
}

/** The same failure, with the time after which the caller may retry. */
function withWait(error: ToolError, ms: number): ToolError {
  const retryAfterMs = error.details.retryAfterMs ?? Math.ceil(ms);
  return new ToolError(error.kind, error.canRetry, error.message, { ...error.details, retryAfterMs });
}

/** The platform compresses its answers only if both headers ask for it. */
const COMPRESSED = { "accept-encoding": "gzip", "user-agent": "runtime (gzip)" };

/** Sends the call. Throws `EgressError`; an answer with any status is not an error. */
function send(context: ToolContext, call: Call, isLast: boolean): Promise<Answer> {
  const leftMs = context.deadline - context.now();
  const { headers, ...rest } = jsonRequest(call.body === undefined ? undefined : JSON.stringify(call.body));
  const request = {
    ...rest,
    method: call.verb,
    headers: { ...headers, ...COMPRESSED },
    signal: context.signal,
    timeoutMs: isLast ? Math.max(1, leftMs) : timeOfTry(leftMs),
  };
  // The plain parser: this platform sends 64-bit integers as text, so no digits can be lost, and the number of a cell
  // must stay a number.
  return exchange(context, call.base, addressOf(call), request, parsePlainJson);
}
