import type { Clock } from "../base";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;
/** How long a process that stops goes on, unless the caller has waited already. */
const STOP_MS = 2000;

export interface UntilStored {
  clock: Clock;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
  /** Called after each failure that is repeated, with the number of failures before it: a full disk would fill the log. */
  failed(error: unknown, before: number): void;
  /** Whether another attempt must fail in the same way. */
  isFinal?: ((error: unknown) => boolean) | undefined;
  stopMs?: number;
}

/** Repeats a write, with growing pauses, until it succeeds. Throws a final error, and the last one when the process stops. */
export async function untilStored<T>(
  write: () => Promise<T>,
  { clock, stopping, failed, isFinal, stopMs = STOP_MS }: UntilStored,
): Promise<T> {
  let end: number | undefined;
  for (let failures = 0; ; failures++) {
    try {
      return await write();
    } catch (error) {
      if (isFinal?.(error) === true) throw error;
      failed(error, failures);
      if (stopping.aborted) {
        end ??= clock.monotonic() + stopMs;
        if (clock.monotonic() >= end) throw error;
      }
    }
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    await (stopping.aborted ? clock.sleep(FIRST_PAUSE_MS) : clock.sleep(pause, stopping));
  }
}
