// The one way to the platform: calls with their waits and repeats, at most three at a time, all ended by one signal.
import { endedBecause, type JsonObject, type ToolContext } from "../../src/tools";
import { Limiter } from "../upstream/limiter";
import { callWithRetries, jittered, type Outcome } from "../upstream/retry";
import { IN_FLIGHT, JITTER_MS } from "./limits";
import { Budget } from "./upstream/budget";
import { exchange } from "./upstream/exchange";
import { type Call, failureOf, rateLimited } from "./upstream/failure";
import { type MethodName, methodNamed, type Params } from "./upstream/methods";

export interface CallOptions {
  /** What is addressed, as the caller named it; stands in the error when the platform does not find it. */
  subject?: string;
  /** False: a failure is not answered by a second try. */
  repeat?: boolean;
  /** False: a rate limit is not waited for. */
  wait?: boolean;
  /** The call is part of a listing and ends with the time for listings. */
  paging?: boolean;
}

/** One per tool run. */
export class ChatClient {
  readonly context: ToolContext;
  readonly budget: Budget;
  readonly #line = new Limiter(IN_FLIGHT);
  readonly #failed = new AbortController();
  readonly #signal: AbortSignal;
  /** Methods whose rate limit this run has waited for. */
  readonly #waitedFor = new Set<MethodName>();

  constructor(context: ToolContext) {
    this.context = context;
    this.budget = new Budget(context);
    this.#signal = AbortSignal.any([context.signal, this.#failed.signal]);
  }

  /** Whether this run is over: the caller has gone, time is up, or a part of it failed. */
  get ended(): boolean {
    return this.#signal.aborted;
  }

  /**
   * Calls a method and returns the body of a successful answer.
   *
   * A method's rate limit is waited for once in a run, if the wait fits the time left. A failure that may pass is answered by one more
   * try, except for methods that create something: those are sent once, and when nobody knows whether it was done,
   * the error says so. Throws `ToolError`.
   */
  async call(method: MethodName, params: Params = {}, options: CallOptions = {}): Promise<JsonObject> {
    const call = { method, params, subject: options.subject };
    const creates = methodNamed(method).creates === true;
    const mayRepeat = !creates && options.repeat !== false;
    return callWithRetries(method, () => this.#attempt(call, options), {
      reportsUnknown: creates,
      waitToRepeat: async ({ again }, repeats) => {
        // The next attempt begins with the wait, or ends there.
        if (again === "later") return repeats.later === 0;
        if (!mayRepeat || repeats.now > 0 || this.budget.spent) return false;
        await this.jitter();
        return true;
      },
    });
  }

  /**
   * Waits for several things that were started. When one fails, this run's other requests are ended, and its error
   * is thrown.
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
   * Work that another run of this connection may be doing at this moment: it is done once. When the run that does it
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

  /** A short wait of random length, so that many clients do not come back at the same instant. */
  async jitter(): Promise<void> {
    await this.context.sleep(jittered(JITTER_MS));
  }

  async #attempt(call: Call, { wait, paging }: CallOptions): Promise<Outcome> {
    for (;;) {
      await this.#passBlock(call.method, wait !== false);
      const outcome = await this.#line.run(() => this.#send(call, paging === true));
      if (outcome !== undefined) return outcome;
    }
  }

  /** Undefined when another call met the rate limit while this one waited in line: nothing was sent. */
  async #send(call: Call, paging: boolean): Promise<Outcome | undefined> {
    if (this.#blockedMs(call.method) > 0) return undefined;
    const signal = paging
      ? AbortSignal.any([this.#signal, AbortSignal.timeout(this.budget.left)])
      : this.#signal;
    const answer = await exchange(this.context, call.method, call.params, signal);
    const failure = failureOf(call, answer);
    // Here, before the place in the line is handed on: the next call must know.
    if (failure?.again === "later") {
      this.#block(call.method, failure.error.details.retryAfterMs ?? 0);
    }
    return failure ?? { body: answer.body ?? {} };
  }

  /** Waits while the method is blocked, if that fits and this run has not waited for it before. */
  async #passBlock(method: MethodName, mayWait: boolean): Promise<void> {
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
