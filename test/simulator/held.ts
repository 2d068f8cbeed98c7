// Requests that the world holds: they get no answer until the simulation releases them or their caller's time is up.
import { EgressError } from "../../src/egress";
import type { Life } from "./life";
import type { SimulatedProcess } from "./simulated-process";
import type { TimerOwner, VirtualTime } from "./virtual-time";

/** Who sends a request. */
export interface Sender {
  readonly process: SimulatedProcess;
  readonly life: Life;
  /** The same for all requests of one run of a tool. */
  readonly call: string;
  /** Names the operation. */
  readonly label: string;
  readonly timeoutMs: number;
}

/** A request without an answer so far. */
export interface Held extends Sender {
  readonly what: string;
  readonly since: number;
  answer(): void;
}

export class HeldRequests implements Iterable<Held> {
  /** The labels of all requests that were held. */
  readonly labels = new Set<string>();
  readonly #time: VirtualTime;
  readonly #held = new Set<Held>();
  readonly #owner: TimerOwner = { isAlive: true, isFrozen: false };

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  [Symbol.iterator](): Iterator<Held> {
    return this.#held.values();
  }

  /** Answers the request that has been held for the longest time. */
  release(): void {
    const [first] = this.#held;
    first?.answer();
  }

  hold(what: string, sender: Sender): Promise<void> {
    this.labels.add(sender.label);
    return new Promise((resolve, reject) => {
      const held: Held = {
        ...sender,
        what,
        since: this.#time.now,
        answer: () => {
          cancel();
          this.#held.delete(held);
          resolve();
        },
      };
      const cancel = this.#time.after(sender.timeoutMs, this.#owner, () => {
        this.#held.delete(held);
        reject(new EgressError("timeout", "The request took too long.", { maybeSent: true }));
      });
      this.#held.add(held);
    });
  }
}

/** The request was done, and its answer never arrives. */
export function lost(): EgressError {
  return new EgressError("unreachable", "The connection broke.", { maybeSent: true });
}
