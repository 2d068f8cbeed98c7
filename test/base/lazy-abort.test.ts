// Aborts when a caller disconnects, with or without creating a signal.
import { describe, expect, test } from "bun:test";
import { LazyAbort, signalOf } from "../../src/base";

describe("a lazy abort", () => {
  test("notifies all listeners, once", () => {
    const abort = new LazyAbort();
    const notified: string[] = [];
    abort.addEventListener("abort", () => notified.push("one"));
    abort.addEventListener("abort", () => notified.push("other"));
    abort.abort();
    abort.abort();

    expect(abort.aborted).toBe(true);
    expect(notified).toEqual(["one", "other"]);
  });

  test("does not notify removed listeners, or listeners that are added later", () => {
    const abort = new LazyAbort();
    const notified: string[] = [];
    const gone = (): void => void notified.push("gone");
    abort.addEventListener("abort", gone);
    abort.removeEventListener("abort", gone);
    abort.removeEventListener("abort", gone);
    abort.abort();
    abort.addEventListener("abort", () => notified.push("late"));

    expect(notified).toEqual([]);
  });

  test("has a signal that aborts with it, whether created before or after", () => {
    const before = new LazyAbort();
    const { signal } = before;
    before.abort();
    const after = new LazyAbort();
    after.abort();

    expect([signal.aborted, before.signal === signal, after.signal.aborted]).toEqual([true, true, true]);
  });

  test("is converted into its signal; a real signal is returned as it is", () => {
    const abort = new LazyAbort();
    const { signal } = new AbortController();

    expect(signalOf(abort)).toBe(abort.signal);
    expect(signalOf(signal)).toBe(signal);
    expect(signalOf(undefined)).toBeUndefined();
  });
});
