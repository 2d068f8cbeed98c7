// The one way to the platform: calls with their budget, waits and repeats.
import { type JsonObject, type ToolContext, ToolError } from "../../src/tools";
import { type Answer, exchange, jsonRequest } from "../upstream/exchange";
import { Limiter } from "../upstream/limiter";
import { callWithRetries, type Failure, type Outcome } from "../upstream/retry";
import {
  BACKOFF_MS,
  IN_FLIGHT,
  JITTER_MS,
  LINE_MS,
  LONGEST_BACKOFF_MS,
  MAX_TRIES,
  REQUEST_MS,
  RESERVE_MS,
} from "./limits";
import { addressOf, type Call } from "./upstream/call";
import { failureOf } from "./upstream/failure";
import { Quotas } from "./upstream/quota";

/** Writers of all users of this process: two that both find a sheet too small must not both enlarge it. */
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
   * A failure that may pass is answered by another try, four in all, with the platform's own waits or growing ones, as
   * long as they fit the run's time. A call that does its work anew each time is repeated only when nothing was done;
   * when nobody knows, the error says so. Throws `ToolError`.
   */
  call(call: Call): Promise<JsonObject> {
    const once = call.once === true;
    return callWithRetries(call.method, () => this.#limiter().run(() => this.#attempt(call)), {
      reportsUnknown: once,
      waitToRepeat: async (failure, { now, later }) => {
        if (once && failure.maybeDone) return false;
        await this.#wait(failure, now + later + 1);
        return true;
      },
    });
  }

  /** Work that writes to a spreadsheet: one run at a time. */
  async alone<T>(spreadsheetId: string, work: () => Promise<T>): Promise<T> {
    const line = writers.get(spreadsheetId) ?? new Limiter(1);
    writers.set(spreadsheetId, line);
    try {
      return await line.run(work);
    } finally {
      if (line.isIdle) writers.delete(spreadsheetId);
    }
  }

  /** Throws `ToolError` (rate limit) unless the user has so many writes left: work of several is not left half done. */
  requireWrites(count: number, method: string): void {
    this.#quotas.require("writes", count, method);
  }

  /** Limits the calls of this user, of all runs. */
  #limiter(): Limiter {
    const { lasting } = this.context.cache;
    const limiter = lasting.get<Limiter>("calls") ?? new Limiter(IN_FLIGHT);
    lasting.set("calls", limiter, LINE_MS);
    return limiter;
  }

  async #attempt(call: Call): Promise<Outcome> {
    if (call.quota !== undefined) this.#quotas.spend(call.quota, call.method);
    const answer = await send(this.context, call);
    return failureOf(call, answer) ?? { body: answer.body ?? {} };
  }

  /** Throws the error when there is no further try, or the run ends before it. */
  async #wait({ error, retryAfterMs }: Failure, tries: number): Promise<void> {
    const pause = retryAfterMs ?? backoff(tries);
    if (tries === MAX_TRIES || !this.#fits(pause)) throw withWait(error, pause);
    await this.context.sleep(pause);
    if (this.context.signal.aborted) throw withWait(error, pause);
  }

  #fits(ms: number): boolean {
    return this.context.now() + ms + RESERVE_MS < this.context.deadline;
  }
}

/** Before the second try 1 to 2 s, before the third 2 to 3 s, then 4 to 5 s. */
function backoff(tries: number): number {
  return Math.min(BACKOFF_MS * 2 ** (tries - 1) + Math.random() * JITTER_MS, LONGEST_BACKOFF_MS);
}

/** The same failure, with the time after which the caller may come back. */
function withWait(error: ToolError, ms: number): ToolError {
  const retryAfterMs = error.details.retryAfterMs ?? Math.ceil(ms);
  return new ToolError(error.kind, error.canRetry, error.message, { ...error.details, retryAfterMs });
}

/** Sends the call. Throws `EgressError`; an answer of any kind is not an error. */
function send(context: ToolContext, call: Call): Promise<Answer> {
  const { headers, ...rest } = jsonRequest(call.body === undefined ? undefined : JSON.stringify(call.body));
  const request = {
    ...rest,
    method: call.verb,
    headers: { ...headers, "accept-encoding": "gzip" },
    signal: context.signal,
    timeoutMs: Math.max(1, Math.min(REQUEST_MS, context.deadline - context.now())),
  };
  // The plain parser: in this platform's JSON every number is a double or a small integer, and 64-bit integers come as
  // text, so there are no digits to be kept; a cell's number must stay one.
  return exchange(context, call.base, addressOf(call), request, JSON.parse);
}
