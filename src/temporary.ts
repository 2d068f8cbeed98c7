// A setting of a running server that a command changes, until a time or a restart.
import type { Core } from "./core";

interface TemporaryOptions<T> {
  /** What returns in the end. */
  configured: T;
  current(): T;
  apply(value: T): void;
  /** `until`: undefined for a restart. */
  changes(from: T, to: T, until: number | undefined): void;
  isBack(from: T, to: T): void;
}

export class Temporary<T> {
  readonly configured: T;
  readonly #clock: Core["clock"];
  readonly #options: TemporaryOptions<T>;
  #until: number | undefined;
  /** Ends the wait for the configured value to return. */
  #waiting = new AbortController();

  constructor({ clock }: Pick<Core, "clock">, options: TemporaryOptions<T>) {
    this.configured = options.configured;
    this.#clock = clock;
    this.#options = options;
  }

  /** When the configured value returns (ms); undefined: at a restart, or it is in force. */
  get until(): number | undefined {
    return this.#until;
  }

  /** Replaces the value, and the end of an earlier change. */
  set(value: T, until: number | undefined): void {
    const { current, apply, changes } = this.#options;
    this.#waiting.abort();
    this.#waiting = new AbortController();
    changes(current(), value, until);
    apply(value);
    this.#until = until;
    if (until !== undefined) void this.#fallBack(until - this.#clock.now(), this.#waiting.signal);
  }

  /** Ends the wait; the value stays as it is. */
  close(): void {
    this.#waiting.abort();
  }

  async #fallBack(afterMs: number, signal: AbortSignal): Promise<void> {
    const { current, apply, isBack } = this.#options;
    await this.#clock.sleep(Math.max(0, afterMs), signal);
    if (signal.aborted) return;
    const from = current();
    apply(this.configured);
    this.#until = undefined;
    isBack(from, this.configured);
  }
}
