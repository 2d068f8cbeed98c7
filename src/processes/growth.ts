// Notices cheaply that something on the machine grows fast, so that programs are measured at once instead of in their turn.
import { readFileSync } from "node:fs";

const MANY_THREADS = 100;
const MUCH_MEMORY_KB = 524_288;

interface State {
  threads: number;
  freeKb: number;
}

export class Growth {
  #last = stateOfSystem();

  /** Whether there are many more processes or much less memory than at the last call. */
  noticed(): boolean {
    const last = this.#last;
    this.#last = stateOfSystem();
    const { threads, freeKb } = this.#last;
    return threads > last.threads + MANY_THREADS || freeKb < last.freeKb - MUCH_MEMORY_KB;
  }
}

function stateOfSystem(): State {
  try {
    // "0.01 0.02 0.05 running/all last"
    const threads = readFileSync("/proc/loadavg", "latin1").split(" ")[3]?.split("/")[1];
    const free = /^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "latin1"))?.[1];
    return { threads: Number(threads), freeKb: Number(free) };
  } catch {
    return { threads: 0, freeKb: 0 };
  }
}
