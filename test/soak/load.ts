// A load with a fixed rate for each kind of work: the load of a machine does not depend on how fast the server is.

export interface Work {
  name: string;
  /** How often it is begun in a minute. */
  perMinute: number;
  /** How many of it may be in progress; a turn beyond it is left out. */
  most: number;
  run(turn: number): Promise<void>;
}

export interface Load {
  /** How often each kind has ended well. */
  readonly done: Record<string, number>;
  /** Up to 50 sentences. */
  readonly faults: string[];
  /** Works until `ms` have passed and everything that was begun has ended. */
  forMs(ms: number): Promise<void>;
}

const MOST_FAULTS = 50;
const TICK_MS = 20;
/** Longer than anything takes: a piece of work that never ends is a fault, not the end of the run. */
const MOST_MS = 60_000;

async function lateness(reason: string): Promise<never> {
  await Bun.sleep(MOST_MS);
  throw new Error(reason);
}

export function loadOf(works: readonly Work[]): Load {
  const done: Record<string, number> = {};
  const faults: string[] = [];
  const turns = new Map<string, number>();
  const begin = async (work: Work, turn: number): Promise<void> => {
    try {
      await Promise.race([work.run(turn), lateness(`it has not ended within ${MOST_MS / 1000} s`)]);
      done[work.name] = (done[work.name] ?? 0) + 1;
    } catch (error) {
      if (faults.length < MOST_FAULTS) faults.push(`${work.name} ${turn}: ${String(error)}`);
    }
  };
  return {
    done,
    faults,
    forMs: async (ms) => {
      const running = new Map<string, Set<Promise<void>>>(works.map(({ name }) => [name, new Set()]));
      const began = performance.now();
      const due = works.map((work) => ({ work, next: began + (60_000 / work.perMinute) * Math.random() }));
      for (; performance.now() < began + ms; await Bun.sleep(TICK_MS)) {
        for (const one of due) {
          if (performance.now() < one.next) continue;
          one.next += 60_000 / one.work.perMinute;
          const inProgress = running.get(one.work.name) ?? new Set();
          if (inProgress.size >= one.work.most) continue;
          const turn = turns.get(one.work.name) ?? 0;
          turns.set(one.work.name, turn + 1);
          const promise: Promise<void> = begin(one.work, turn).finally(() => inProgress.delete(promise));
          inProgress.add(promise);
        }
      }
      await Promise.all([...running.values()].flatMap((promises) => [...promises]));
    },
  };
}
