// Signals that a caller has disconnected. An `AbortController` costs as much as reading a request body, so it is only
// created if a real signal is needed, which is rare.

export type Abortable = AbortSignal | LazyAbort;

export class LazyAbort {
  #aborted = false;
  #listeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Created on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Notifies all listeners, once. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort();
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Like a signal, it does not notify listeners that are added after the abort. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#aborted) (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.#listeners?.splice(index, 1);
  }
}

/** A real signal, for APIs that need one. */
export function signalOf(abortable: Abortable | undefined): AbortSignal | undefined {
  return abortable instanceof LazyAbort ? abortable.signal : abortable;
}
