// What says that a caller is gone, with and without a signal of its own.
import { describe, expect, test } from "bun:test";
import { LazyAbort, signalOf } from "../../src/base";

describe("a lazy abort", () => {
  test("tells all who listen, once", () => {
    const abort = new LazyAbort();
    const heard: string[] = [];
    abort.addEventListener("abort", () => heard.push("one"));
    abort.addEventListener("abort", () => heard.push("other"));
    abort.abort();
    abort.abort();

    expect(abort.aborted).toBe(true);
    expect(heard).toEqual(["one", "other"]);
  });

  test("says nothing to who has stopped listening, or who comes too late", () => {
    const abort = new LazyAbort();
    const heard: string[] = [];
    const gone = (): void => void heard.push("gone");
    abort.addEventListener("abort", gone);
    abort.removeEventListener("abort", gone);
    abort.removeEventListener("abort", gone);
    abort.abort();
    abort.addEventListener("abort", () => heard.push("late"));

    expect(heard).toEqual([]);
  });

  test("has a signal that aborts with it, made before or after", () => {
    const before = new LazyAbort();
    const { signal } = before;
    before.abort();
    const after = new LazyAbort();
    after.abort();

    expect([signal.aborted, before.signal === signal, after.signal.aborted]).toEqual([true, true, true]);
  });

  test("gives its signal to who needs a real one; a real one stays as it is", () => {
    const abort = new LazyAbort();
    const { signal } = new AbortController();

    expect(signalOf(abort)).toBe(abort.signal);
    expect(signalOf(signal)).toBe(signal);
    expect(signalOf(undefined)).toBeUndefined();
  });
});
