// Memory for whole bodies: several large ones at the same time would take more than the machine has. A body takes all that
// it may need at once, so that none waits while it holds a part. Small ones are not counted.
import type { Deadline, TakenMemory } from "./limits";
import { EgressError } from "./types";

interface Waiting {
  project: string;
  bytes: number;
  begin(): void;
}

export class BodyMemory {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #sum = 0;
  /** Of bodies since the last collection: the engine may still hold them. */
  #released = 0;
  readonly #waiting = new Set<Waiting>();

  /** Bytes of all bodies. A larger one is received alone. */
  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Waits until there is memory, and takes it. Throws `EgressError` if the deadline ends before: the request
   * was sent, but nothing is known about the answer.
   */
  async take(project: string, bytes: number, deadline: Deadline, origin: string): Promise<TakenMemory> {
    if (this.#waiting.size === 0 && this.#refusal(project, bytes) === undefined) this.#add(project, bytes);
    else await this.#turn(project, bytes, deadline, origin);
    this.#collectFor(bytes);
    let held = bytes;
    return {
      fit: (needed) => {
        if (needed < held) this.#giveBack(project, held - needed);
        held = Math.min(held, needed);
      },
      release: () => {
        this.#giveBack(project, held);
        this.#released += held;
        held = 0;
      },
    };
  }

  // The engine collects too late: earlier bodies, their texts and their values would still be in memory. A collection stops
  // everything, so there is none as long as these and the next body are few bytes.
  #collectFor(bytes: number): void {
    if (this.#released === 0 || this.#released + bytes <= this.#total) return;
    this.#released = 0;
    Bun.gc(true);
  }

  #turn(project: string, bytes: number, deadline: Deadline, origin: string): Promise<void> {
    const { signal } = deadline;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { project, bytes, begin: resolve };
    const abort = (): void => {
      this.#waiting.delete(waiting);
      reject(noMemory(deadline, origin));
    };
    this.#waiting.add(waiting);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    this.#next();
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  /** Why a body must wait. A project gets at most three quarters, unless it holds nothing. */
  #refusal(project: string, bytes: number): "all" | "share" | undefined {
    if (this.#sum > 0 && this.#sum + bytes > this.#total) return "all";
    const held = this.#held.get(project) ?? 0;
    return held > 0 && held + bytes > (this.#total * 3) / 4 ? "share" : undefined;
  }

  #add(project: string, bytes: number): void {
    this.#held.set(project, (this.#held.get(project) ?? 0) + bytes);
    this.#sum += bytes;
  }

  #giveBack(project: string, bytes: number): void {
    const left = (this.#held.get(project) ?? bytes) - bytes;
    if (left <= 0) this.#held.delete(project);
    else this.#held.set(project, left);
    this.#sum -= bytes;
    this.#next();
  }

  // In the order of their arrival: a large body is not overtaken, except where only the share of its project is used up.
  #next(): void {
    const full = new Set<string>();
    for (const waiting of this.#waiting) {
      const { project, bytes } = waiting;
      if (full.has(project)) continue;
      const refusal = this.#refusal(project, bytes);
      if (refusal === "all") return;
      if (refusal === "share") {
        full.add(project);
        continue;
      }
      this.#waiting.delete(waiting);
      this.#add(project, bytes);
      waiting.begin();
    }
  }
}

function noMemory(deadline: Deadline, origin: string): EgressError {
  return new EgressError(
    deadline.ended() ?? "aborted",
    `The answer of ${origin} was not received: this server was receiving other large answers (egress.max_total_bytes). Try again later, or ask for less.`,
    { maybeSent: true },
  );
}
