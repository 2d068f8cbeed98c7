// Requests that are asked again after a failure of a proxy or of the network. Only for requests that change nothing.
import { RuntimeError } from "../../src/errors";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;

/** For the tests. */
export interface Waiting {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realWaiting: Waiting = { now: () => Date.now(), sleep: (ms) => Bun.sleep(ms) };

/** Whether the same request may succeed later: 502, 503, 504, a reset, no answer in time. */
export function isTransient(error: unknown): boolean {
  return error instanceof RuntimeError && error.shouldRetry === true;
}

/** Repeats `ask` after transient failures, with growing pauses, while `goes` says so. Throws the last failure. */
export async function askAgain<T>(
  ask: () => Promise<T>,
  goes: (attempts: number, error: unknown) => boolean,
  { sleep }: Waiting = realWaiting,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || !goes(attempts, error)) throw error;
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)));
    }
  }
}

/** The longest long poll that a server accepts. */
const LONGEST_POLL_S = 59;

/**
 * Polls until `isOver`, for `seconds` (`Infinity`: until it is), and resolves to the last answer. `poll` gets the time that the
 * server may wait. Throws the last failure if there was no answer in time.
 */
export async function pollUntil<T>(
  seconds: number,
  poll: (wait: number) => Promise<T>,
  isOver: (answer: T) => boolean,
  waiting: Waiting = realWaiting,
): Promise<T> {
  const end = waiting.now() + seconds * 1000;
  const left = (): number => end - waiting.now();
  for (;;) {
    const begun = waiting.now();
    const wait = (): number => Math.max(0, Math.min(LONGEST_POLL_S, Math.ceil(left() / 1000)));
    const answer = await askAgain(
      () => poll(wait()),
      () => left() > 0,
      waiting,
    );
    if (isOver(answer) || left() <= 0) return answer;
    // A server that answers at once must not be asked without a pause.
    if (waiting.now() - begun < LONGEST_PAUSE_MS) await waiting.sleep(LONGEST_PAUSE_MS);
  }
}
