// What says that a caller is gone. `AbortController` does too, and costs a call as much as reading its body; most are
// never asked for their signal.

/** What says whether it is aborted, and when it is. */
export type Abortable = AbortSignal | LazyAbort;

export class LazyAbort {
  #aborted = false;
  #listeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Tells all who listen, once. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort();
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** As with a signal: one that is aborted already never says so again. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#aborted) (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.#listeners?.splice(index, 1);
  }
}

/** A real signal, for who needs one. */
export function signalOf(abortable: Abortable | undefined): AbortSignal | undefined {
  return abortable instanceof LazyAbort ? abortable.signal : abortable;
}
