// The time that one tool run may spend on pages, waits and retries.
import type { ToolContext } from "../../../src/tools";
import { PAGING_MS, PAGING_SHARE, RESERVE_MS } from "../limits";

export class Budget {
  readonly #context: ToolContext;
  readonly #ends: number;

  constructor(context: ToolContext) {
    this.#context = context;
    const now = context.now();
    this.#ends = now + Math.min(PAGING_MS, Math.floor((context.deadline - now) * PAGING_SHARE));
  }

  /** Milliseconds, never below zero. */
  get left(): number {
    return Math.max(0, this.#ends - this.#context.now());
  }

  get spent(): boolean {
    return this.left === 0;
  }

  /** Whether a wait leaves time for the call that follows it. */
  fits(ms: number): boolean {
    return ms + RESERVE_MS <= this.left;
  }
}
