// The client of the platform: calls with waits and retries, at most three at a time, all aborted by one signal.
import { endedBecause, type JsonObject, type ToolContext } from "../../src/tools";
import { block, blockedMs, knownBlockMs } from "../upstream/blocks";
import { Limiter } from "../upstream/limiter";
import { callWithRetries, jittered, type Outcome, type Retries, timeOfTry } from "../upstream/retry";
import { IN_FLIGHT, JITTER_MS } from "./limits";
import { Budget } from "./upstream/budget";
import { exchange } from "./upstream/exchange";
import { type Call, failureOf, rateLimited, withoutCursor } from "./upstream/failure";
import { limitOf, type MethodName, methodNamed, type Params } from "./upstream/methods";

export interface CallOptions {
  /** What is addressed, as the caller named it, for the error if the platform does not find it. */
  subject?: string;
  /** False: a failed call is not retried. */
  retry?: boolean;
  /** False: do not wait for a rate limit. */
  wait?: boolean;
  /** The call is part of a listing and ends when the time for listings is spent. */
  paging?: boolean;
  /** The cursor is not the caller's: if it has expired, the caller may simply call again. */
  ownCursor?: boolean;
}

/** One per tool run. */
export class ChatClient {
  readonly context: ToolContext;
  readonly budget: Budget;
  readonly #limiter = new Limiter(IN_FLIGHT);
  readonly #failed = new AbortController();
  readonly #signal: AbortSignal;
  /** The limits that this run has already waited for. */
  readonly #waitedFor = new Set<string>();
  readonly #read = new WeakSet<object>();
  /** When the run began. */
  readonly startedAt: number;

  constructor(context: ToolContext) {
    this.context = context;
    this.startedAt = context.now();
    this.budget = new Budget(context);
    this.#signal = AbortSignal.any([context.signal, this.#failed.signal]);
  }

  /** Whether this run is over: the caller disconnected, the time is up, or a part of it failed. */
  get ended(): boolean {
    return this.#signal.aborted;
  }

  /** Marks a record that this run has read from the platform. */
  hasRead(record: object): void {
    this.#read.add(record);
  }

  /** Whether this run has read the record itself. One from the cache may be out of date. */
  isFresh(record: object): boolean {
    return this.#read.has(record);
  }

  /**
   * Calls a method and returns the body of a successful answer.
   *
   * A run waits once for the rate limit of a method, if the wait fits the time left. A transient failure is retried
   * once. Methods that create something are sent only once; if the outcome is unknown, the error says so.
   * Throws `ToolError`.
   */
  async call(method: MethodName, params: Params = {}, options: CallOptions = {}): Promise<JsonObject> {
    try {
      return await this.#call(method, params, options);
    } catch (error) {
      throw options.ownCursor === true ? withoutCursor(error) : error;
    }
  }

  async #call(method: MethodName, params: Params, options: CallOptions): Promise<JsonObject> {
    const call = { method, params, subject: options.subject };
    const creates = methodNamed(method).creates === true;
    const mayRetry = !creates && options.retry !== false;
    const attempt = (retries: Retries) => this.#attempt(call, options, mayRetry && retries.now === 0);
    return callWithRetries(this.context, method, attempt, {
      changes: creates,
      reportsUnknown: creates,
      waitToRetry: async ({ retry }, retries) => {
        // The next attempt starts with the wait, or throws instead of waiting.
        if (retry === "later") return retries.later === 0;
        if (!mayRetry || retries.now > 0 || this.#leftMs(options) === 0) return false;
        await this.jitter();
        return true;
      },
    });
  }

  /**
   * Waits for several pieces of work that have started. If one fails, aborts the other requests of this run and
   * throws its error.
   */
  async together<T extends readonly unknown[] | []>(
    work: T,
  ): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
    try {
      return await Promise.all(work);
    } catch (error) {
      this.#failed.abort();
      await Promise.allSettled(work);
      throw error;
    }
  }

  /**
   * Shares work with other runs of this connection that need it at the same time. If the run that does the work
   * ends early, this one does it.
   */
  async shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.context.cache.once(key, work);
      } catch (error) {
        if (!endedBecause(error, "aborted") || this.ended || this.budget.spent) throw error;
      }
    }
  }

  /** A short wait of random length, so that many clients do not retry at the same instant. */
  async jitter(): Promise<void> {
    await this.context.sleep(jittered(JITTER_MS));
  }

  async #attempt(call: Call, options: CallOptions, mayBeRepeated: boolean): Promise<Outcome> {
    for (;;) {
      await this.#waitFor(limitOf(call.method, call.params), options.wait !== false);
      const outcome = await this.#limiter.run(() => this.#send(call, options, mayBeRepeated));
      if (outcome !== undefined) return outcome;
    }
  }

  /** Undefined if another call hit the rate limit while this one was queued: nothing was sent. */
  async #send(call: Call, options: CallOptions, mayBeRepeated: boolean): Promise<Outcome | undefined> {
    const limit = limitOf(call.method, call.params);
    if (knownBlockMs(this.context, limit) > 0) return undefined;
    const leftMs = this.#leftMs(options);
    const signal =
      options.paging === true ? AbortSignal.any([this.#signal, AbortSignal.timeout(leftMs)]) : this.#signal;
    const timeoutMs = mayBeRepeated ? timeOfTry(leftMs) : undefined;
    const answer = await exchange(this.context, call.method, call.params, { signal, timeoutMs });
    const failure = failureOf(call, answer);
    // Before the limiter starts the next call, which must not run into the same limit.
    if (failure?.retry === "later") await block(this.context, limit, failure.error.details.retryAfterMs ?? 0);
    return failure ?? { body: answer.body ?? {} };
  }

  /** The time for a call: of the listing that it is a part of, or of the run. */
  #leftMs({ paging }: CallOptions): number {
    const { deadline, now } = this.context;
    return paging === true ? this.budget.left : Math.max(0, deadline - now());
  }

  /** Waits until calls under a limit may be sent, if the wait fits and this run has not waited for it before. */
  async #waitFor(limit: string, mayWait: boolean): Promise<void> {
    const ms = await blockedMs(this.context, limit);
    if (ms === 0) return;
    if (!mayWait || this.#waitedFor.has(limit) || !this.budget.fits(ms)) throw rateLimited(limit, ms);
    const { now, sleep } = this.context;
    const until = now() + ms;
    // Timers may fire a moment early.
    while (now() < until) await sleep(until - now());
    this.#waitedFor.add(limit);
  }
}
