// Time comes in through `createRuntime`, so that a test can move it.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done);
    }),
};

/**
 * Whether what was made at `from`, ms, and is kept for `keptMs` counts at `now`. When the clock was set back it does not:
 * nobody knows how old it is, and it would count for as long again as the clock had been ahead.
 */
export function stillCounts(from: number, keptMs: number, now: number): boolean {
  return from <= now && now - from < keptMs;
}

let latestSecond = NaN;
let latestText = "";

/** RFC 3339 in UTC with whole seconds, the form of every time on the wire. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  // Most are asked for within the same second.
  if (second !== latestSecond) {
    latestText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
    latestSecond = second;
  }
  return latestText;
}
