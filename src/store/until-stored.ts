import type { Clock } from "../base";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

export interface UntilStored {
  clock: Clock;
  /** Aborts when the process stops: then there is one more attempt. */
  signal: AbortSignal;
  /** Called after the first failure only: a full disk would fill the log. */
  failed(error: unknown): void;
}

/** Repeats a write, with growing pauses, until it succeeds. Throws the last error when the process stops before that. */
export async function untilStored<T>(
  write: () => Promise<T>,
  { clock, signal, failed }: UntilStored,
): Promise<T> {
  for (let pause = 0; ; pause = Math.min(Math.max(2 * pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)) {
    if (pause > 0) await clock.sleep(pause, signal);
    const last = signal.aborted;
    try {
      return await write();
    } catch (error) {
      if (pause === 0) failed(error);
      if (last) throw error;
    }
  }
}
