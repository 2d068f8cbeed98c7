// The time that a run has, its repeat included. It ends early when the caller is gone.

export interface TimeLimit {
  signal: AbortSignal;
  /** Rejects with what `cutOff` makes, a moment after the signal: for work that does not listen to it. */
  cut: Promise<never>;
  /** Drops the timers and what waits for the caller. */
  [Symbol.dispose](): void;
}

/** A tool that listens to its signal reports better than we can: it gets this long to do so. */
const GRACE_MS = 100;

/** Real time, not the runtime's clock: what it limits is real too. */
export function startTimeLimit(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  cutOff: () => Error,
): TimeLimit {
  const stop = new AbortController();
  const { promise: cut, reject } = Promise.withResolvers<never>();
  // Whoever races against it may be through already.
  cut.catch(() => undefined);
  let grace: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    grace ??= setTimeout(() => reject(cutOff()), GRACE_MS);
    stop.abort();
  };
  const timer = setTimeout(end, timeoutMs);
  // A signal that is aborted already never says so again.
  if (caller?.aborted) end();
  caller?.addEventListener("abort", end);
  return {
    signal: stop.signal,
    cut,
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearTimeout(grace);
      caller?.removeEventListener("abort", end);
    },
  };
}
