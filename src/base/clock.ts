// The clock is passed to `createRuntime`, so that tests can control it.
import { uptime } from "node:os";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since some fixed moment, the same one for all processes of the machine, to a second. Unlike `now` it cannot be set, so it
   * never jumps and never runs back.
   */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// `performance.now` counts from the start of the process.
const STARTED = uptime() * 1000 - performance.now();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => STARTED + performance.now(),
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

/** Lets other work of the process go on. For work that takes long without waiting for anything. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Whether a value that was made at `from` (ms) and is valid for `ttlMs` is still valid at `now`. It is not if the clock was
 * set back in between: its age is then unknown.
 */
export function isFresh(from: number, ttlMs: number, now: number): boolean {
  return from <= now && now - from < ttlMs;
}

let latestSecond = NaN;
let latestText = "";

/** Formats a time as the API does: RFC 3339, UTC, whole seconds. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  // Most calls fall into the same second.
  if (second !== latestSecond) {
    latestText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
    latestSecond = second;
  }
  return latestText;
}
