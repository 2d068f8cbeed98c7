// The client of the platform: calls with waits and retries, at most three at a time, all aborted by one signal.
import { endedBecause, type JsonObject, type ToolContext } from "../../src/tools";
import { Limiter } from "../upstream/limiter";
import { callWithRetries, jittered, type Outcome } from "../upstream/retry";
import { IN_FLIGHT, JITTER_MS } from "./limits";
import { Budget } from "./upstream/budget";
import { exchange } from "./upstream/exchange";
import { type Call, failureOf, rateLimited } from "./upstream/failure";
import { type MethodName, methodNamed, type Params } from "./upstream/methods";

export interface CallOptions {
  /** What is addressed, as the caller named it, for the error if the platform does not find it. */
  subject?: string;
  /** False: a failed call is not retried. */
  retry?: boolean;
  /** False: do not wait for a rate limit. */
  wait?: boolean;
  /** The call is part of a listing and ends when the time for listings is spent. */
  paging?: boolean;
}

/** One per tool run. */
export class ChatClient {
  readonly context: ToolContext;
  readonly budget: Budget;
  readonly #limiter = new Limiter(IN_FLIGHT);
  readonly #failed = new AbortController();
  readonly #signal: AbortSignal;
  /** Methods whose rate limit this run has already waited for. */
  readonly #waitedFor = new Set<MethodName>();

  constructor(context: ToolContext) {
    this.context = context;
    this.budget = new Budget(context);
    this.#signal = AbortSignal.any([context.signal, this.#failed.signal]);
  }

  /** Whether this run is over: the caller disconnected, the time is up, or a part of it failed. */
  get ended(): boolean {
    return this.#signal.aborted;
  }

  /**
   * Calls a method and returns the body of a successful answer.
   *
   * A run waits once for the rate limit of a method, if the wait fits the time left. A transient failure is retried
   * once. Methods that create something are sent only once; if the outcome is unknown, the error says so.
   * Throws `ToolError`.
   */
  async call(method: MethodName, params: Params = {}, options: CallOptions = {}): Promise<JsonObject> {
    const call = { method, params, subject: options.subject };
    const creates = methodNamed(method).creates === true;
    const mayRetry = !creates && options.retry !== false;
    return callWithRetries(this.context, method, () => this.#attempt(call, options), {
      changes: creates,
      reportsUnknown: creates,
      waitToRetry: async ({ retry }, retries) => {
        // The next attempt starts with the wait, or throws instead of waiting.
        if (retry === "later") return retries.later === 0;
        if (!mayRetry || retries.now > 0 || this.budget.spent) return false;
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

  async #attempt(call: Call, { wait, paging }: CallOptions): Promise<Outcome> {
    for (;;) {
      await this.#waitForMethod(call.method, wait !== false);
      const outcome = await this.#limiter.run(() => this.#send(call, paging === true));
      if (outcome !== undefined) return outcome;
    }
  }

  /** Undefined if another call hit the rate limit while this one was queued: nothing was sent. */
  async #send(call: Call, paging: boolean): Promise<Outcome | undefined> {
    if (this.#blockedMs(call.method) > 0) return undefined;
    const signal = paging
      ? AbortSignal.any([this.#signal, AbortSignal.timeout(this.budget.left)])
      : this.#signal;
    const answer = await exchange(this.context, call.method, call.params, signal);
    const failure = failureOf(call, answer);
    // Before the limiter starts the next call, which must not run into the same limit.
    if (failure?.retry === "later") {
      this.#block(call.method, failure.error.details.retryAfterMs ?? 0);
    }
    return failure ?? { body: answer.body ?? {} };
  }

  /** Waits until the method is no longer blocked, if the wait fits and this run has not waited for it before. */
  async #waitForMethod(method: MethodName, mayWait: boolean): Promise<void> {
    const ms = this.#blockedMs(method);
    if (ms === 0) return;
    if (!mayWait || this.#waitedFor.has(method) || !this.budget.fits(ms)) throw rateLimited(method, ms);
    const { now, sleep } = this.context;
    const until = now() + ms;
    // Timers may fire a moment early.
    while (now() < until) await sleep(until - now());
    this.#waitedFor.add(method);
  }
  /** Milliseconds until the method may be called again; 0 when it may be called now. */
  #blockedMs(method: MethodName): number {
    const until = this.context.cache.get<number>(blockKey(method)) ?? 0;
    return Math.max(0, until - this.context.now());
  }

  /** Stores that the method is blocked, for all runs of this connection. A shorter block never ends a longer one. */
  #block(method: MethodName, ms: number): void {
    if (ms <= this.#blockedMs(method)) return;
    this.context.cache.set(blockKey(method), this.context.now() + ms, ms);
  }
}

function blockKey(method: MethodName): string {
  return `blocked:${method}`;
}
