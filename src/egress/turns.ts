// Places for outbound requests. Bun sends 256 at a time (`BUN_CONFIG_MAX_HTTP_REQUESTS`) and queues the others behind them,
// so the hanging requests of one project would stop all requests of this process.
import type { Deadline } from "./limits";
import { EgressError } from "./types";

/** What Bun sends at a time by default. */
export const ENGINE_LIMIT = 256;
/** A project that has fewer than this may also use the last quarter. */
const FEW = 8;

export class OutboundTurns {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #running = 0;
  /** By project, which take turns. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(total = ENGINE_LIMIT) {
    this.#total = total;
  }

  load(): { running: number; waiting: number } {
    const waiting = this.#waiting.values().reduce((sum, queue) => sum + queue.size, 0);
    return { running: this.#running, waiting };
  }

  /**
   * Waits for a place, which is released when the deadline is disposed. Throws `EgressError` if the deadline ends before there
   * is one.
   */
  async take(project: string, deadline: Deadline): Promise<void> {
    if (this.#hasPlace(project)) this.#add(project);
    else await this.#turn(project, deadline);
    deadline.onDispose(() => this.#release(project));
  }

  // A freed place goes to a project that waits, so no other request can take it in between.
  #turn(project: string, deadline: Deadline): Promise<void> {
    const { signal } = deadline;
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(project) ?? new Set();
      this.#waiting.set(project, queue);
      const leave = (): void => {
        signal.removeEventListener("abort", abort);
        queue.delete(begin);
        if (queue.size === 0) this.#waiting.delete(project);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        reject(noPlace(deadline));
      };
      queue.add(begin);
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
    });
  }

  #hasPlace(project: string): boolean {
    const most = (this.#held.get(project) ?? 0) < FEW ? this.#total : (this.#total * 3) / 4;
    return this.#running < most;
  }

  #add(project: string): void {
    this.#held.set(project, (this.#held.get(project) ?? 0) + 1);
    this.#running += 1;
  }

  #release(project: string): void {
    const left = (this.#held.get(project) ?? 1) - 1;
    if (left === 0) this.#held.delete(project);
    else this.#held.set(project, left);
    this.#running -= 1;
    this.#next();
  }

  #next(): void {
    for (const [project, [first]] of this.#waiting) {
      if (first === undefined || !this.#hasPlace(project)) continue;
      this.#add(project);
      const queue = this.#waiting.get(project);
      first();
      // Behind the others.
      if (queue !== undefined && this.#waiting.delete(project)) this.#waiting.set(project, queue);
      return;
    }
  }
}

function noPlace(deadline: Deadline): EgressError {
  const reason = deadline.ended() ?? "aborted";
  return new EgressError(
    reason,
    "The request was not sent: too many outbound requests of this server were running. Try again later.",
    { maybeSent: false },
  );
}
