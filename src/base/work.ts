// What this process is doing right now, counted by kind: for the status, and for a server that stops. A call is counted in
// every kind that it belongs to: a scheduled run is a tool call as well.

export const WORK_KINDS = [
  "requests",
  "mcp_streams",
  "model_streams",
  "tool_calls",
  "scheduled_runs",
] as const;
export type WorkKind = (typeof WORK_KINDS)[number];
/** The engine counts requests: only it knows when the last byte is sent. */
type CountedKind = Exclude<WorkKind, "requests">;
export type WorkCounts = Readonly<Record<WorkKind, number>>;

export class WorkInFlight {
  readonly #counts = { mcp_streams: 0, model_streams: 0, tool_calls: 0, scheduled_runs: 0 };

  /** How many requests a listening server has not answered completely; undefined without one. */
  pendingRequests: (() => number) | undefined;

  get counts(): WorkCounts {
    return { ...this.#counts, requests: this.pendingRequests?.() ?? 0 };
  }

  /** Counts `work` until it ends. */
  async during<T>(kind: CountedKind, work: () => Promise<T>): Promise<T> {
    this.#counts[kind] += 1;
    try {
      return await work();
    } finally {
      this.#counts[kind] -= 1;
    }
  }

  /** Counts something until it is disposed; disposing it again has no effect. */
  hold(kind: CountedKind): Disposable {
    let isHeld = true;
    this.#counts[kind] += 1;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#counts[kind] -= 1;
        isHeld = false;
      },
    };
  }
}

/** Resolves when nothing is left, also of what has begun meanwhile. What has ended must have taken itself out. */
export async function allEnded(
  running: ReadonlyMap<unknown, Promise<unknown>> | ReadonlySet<Promise<unknown>>,
): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running.values());
}
