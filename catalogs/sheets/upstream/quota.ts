// The user's calls of the last minute, reads and writes apart, shared by all runs of a connection: a burst ends with an
// answer of ours before it ends with the platform's, and nobody else's share is spent.
import type { ToolContext } from "../../../src/tools";
import { CALLS_PER_MINUTE, MINUTE_MS } from "../limits";
import { rateLimited } from "./failure";

export type Quota = "reads" | "writes";

export class Quotas {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** Spends one call. Throws `ToolError` (rate limit) when there is none left. */
  spend(quota: Quota, method: string): void {
    this.require(quota, 1, method);
    const { cache, now } = this.#context;
    cache.lasting.set(quota, [...this.#recent(quota), now()], MINUTE_MS);
  }

  /** Throws `ToolError` (rate limit) unless so many calls are left. Spends none. */
  require(quota: Quota, count: number, method: string): void {
    const recent = this.#recent(quota);
    const needed = recent[recent.length + count - CALLS_PER_MINUTE - 1];
    if (needed === undefined) return;
    throw rateLimited(method, needed + MINUTE_MS - this.#context.now());
  }

  /** When the calls of the last minute were sent, oldest first. */
  #recent(quota: Quota): readonly number[] {
    const now = this.#context.now();
    const sent = this.#context.cache.lasting.get<readonly number[]>(quota) ?? [];
    // A time that is still to come is of a clock that was set back since: it would count for as long as that was ahead.
    return sent.filter((at) => at > now - MINUTE_MS && at <= now);
  }
}
