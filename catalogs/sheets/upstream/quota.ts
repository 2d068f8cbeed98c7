// Counts the user's reads and writes of the last minute over all runs of a connection. A burst of calls is refused here
// before the platform refuses it, so it does not use up the quota that the application shares with other users.
import type { ToolContext } from "../../../src/tools";
import { CALLS_PER_MINUTE, MINUTE_MS } from "../limits";
import { rateLimited } from "./failure";

export type Quota = "reads" | "writes";

export class Quotas {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** Counts one call. Throws `ToolError` (rate limit) if none is left. */
  spend(quota: Quota, method: string): void {
    this.require(quota, 1, method);
    const { cache, now } = this.#context;
    cache.lasting.set(quota, [...this.#recent(quota), now()], MINUTE_MS);
  }

  /** Throws `ToolError` (rate limit) unless this many calls are left. Counts none. */
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
    // A time in the future means that the clock was set back; it would otherwise count for too long.
    return sent.filter((at) => at > now - MINUTE_MS && at <= now);
  }
}
