// Limits of the calls of a worker in this process: how many run at a time, and how many start in a minute.
import type { Clock } from "../base";
import { type ToolContext, upstreamRateLimited } from "../tools";

export interface CallLimits {
  concurrency?: number | undefined;
  per_minute?: number | undefined;
}

/** A worker that hangs leaves most outbound requests of its project to others. */
const CONCURRENCY = 64;
const MINUTE_MS = 60_000;

interface State {
  running: number;
  /** Calls that wait for a place, in their order. */
  waiting: Set<() => void>;
  /** Monotonic times at which the calls of the last minute started. */
  started: number[];
}

/** The states outlive a change of the worker. */
export class WorkerTurns {
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a call when the worker has a place for it. Throws `UPSTREAM_RUNTIME_RATE_LIMIT` if the worker has had its calls for
   * this minute, or if the caller's time ends first.
   */
  async run<T>(
    key: string,
    limits: CallLimits,
    context: Pick<ToolContext, "signal">,
    call: () => Promise<T>,
  ): Promise<T> {
    const state = this.#states.get(key) ?? { running: 0, waiting: new Set(), started: [] };
    this.#states.set(key, state);
    try {
      this.#countStart(state, limits.per_minute);
      await takePlace(state, limits.concurrency ?? CONCURRENCY, context.signal);
      try {
        return await call();
      } finally {
        release(state);
      }
    } finally {
      if (state.running === 0 && state.waiting.size === 0 && limits.per_minute === undefined)
        this.#states.delete(key);
    }
  }

  #countStart({ started }: State, perMinute: number | undefined): void {
    if (perMinute === undefined) return;
    const now = this.#clock.monotonic();
    while (started[0] !== undefined && started[0] <= now - MINUTE_MS) started.shift();
    const [oldest] = started;
    if (oldest !== undefined && started.length >= perMinute)
      throw upstreamRateLimited(`The worker takes ${perMinute} calls a minute.`, {
        retryAfterMs: Math.ceil(oldest + MINUTE_MS - now),
      });
    started.push(now);
  }
}

async function takePlace(state: State, most: number, signal: AbortSignal): Promise<void> {
  if (state.running < most) state.running += 1;
  else await placeFree(state, most, signal);
}

/** The place goes to the next call that waits: no other may take it in between. */
function release(state: State): void {
  const [next] = state.waiting;
  if (next === undefined) state.running -= 1;
  else next();
}

function placeFree({ waiting }: State, most: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      waiting.delete(begin);
      signal.removeEventListener("abort", leave);
    };
    const begin = (): void => {
      end();
      resolve();
    };
    const leave = (): void => {
      end();
      reject(upstreamRateLimited(`The worker is busy: ${most} calls run, and none has ended in time.`));
    };
    waiting.add(begin);
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
  });
}
