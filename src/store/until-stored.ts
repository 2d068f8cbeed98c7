import type { Clock } from "../base";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;
/** How long a process that stops goes on. */
const STOP_MS = 2000;

export interface UntilStored {
  clock: Clock;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
  /** Called after the first failure only: a full disk would fill the log. */
  failed(error: unknown): void;
}

/** Repeats a write, with growing pauses, until it succeeds. Throws the last error when the process stops before that. */
export async function untilStored<T>(
  write: () => Promise<T>,
  { clock, stopping, failed }: UntilStored,
): Promise<T> {
  let end: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (pause === FIRST_PAUSE_MS) failed(error);
      if (stopping.aborted) {
        end ??= performance.now() + STOP_MS;
        if (performance.now() >= end) throw error;
      }
    }
    await (stopping.aborted ? clock.sleep(FIRST_PAUSE_MS) : clock.sleep(pause, stopping));
  }
}
