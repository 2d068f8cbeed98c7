// What is left in a server when the load pauses, and how it changes between two windows of a run.
import { readdirSync, readFileSync } from "node:fs";

export interface Sample {
  /** Seconds of load before it. */
  at: number;
  /** Anonymous resident memory, MB of 1,000,000 bytes. */
  memory: number;
  /** The collected heap, MB. */
  heap: number;
  /** Live objects by type. */
  objects: Record<string, number>;
  descriptors: number;
  /** The server and its descendants. */
  processes: number;
  threads: number;
}

/** Asks the server to collect and measure. `lines`: how many measurements its file has already. */
export async function sample(pid: number, file: string, at: number, lines: number): Promise<Sample> {
  process.kill(pid, "SIGUSR2");
  for (let waited = 0; linesOf(file).length <= lines; waited++) {
    if (waited > 3000) throw new Error("the server has not measured itself within 30 s");
    await Bun.sleep(10);
  }
  const { heapSize, objects } = JSON.parse(linesOf(file).at(-1) ?? "");
  return {
    at,
    memory: fieldOf(pid, "RssAnon") / 1000,
    heap: heapSize / 1_000_000,
    objects,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: descendants(pid).length + 1,
    threads: fieldOf(pid, "Threads"),
  };
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}

function fieldOf(pid: number, name: string): number {
  return Number(
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1],
  );
}

function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended.
    }
  }
  const below = (parent: number): number[] =>
    [...parents].filter(([, of]) => of === parent).flatMap(([one]) => [one, ...below(one)]);
  return below(pid);
}

/** The samples of the windows that are compared: minutes 10 to 15 and the last five of half an hour or more, else the same parts. */
export function windowsOf(samples: readonly Sample[], seconds: number): { early: Sample[]; late: Sample[] } {
  const length = Math.min(300, seconds / 6);
  const early = samples.filter(({ at }) => at > 2 * length && at <= 3 * length);
  const late = samples.filter(({ at }) => at > seconds - length);
  return { early, late };
}

export type Figure = "memory" | "heap" | "descriptors" | "processes" | "threads";

/**
 * The median of memory. Of what is counted, the least: it rises with every one that is never closed, and not with a moment
 * in which many were needed.
 */
export function typical(samples: readonly Sample[], figure: Figure): number {
  if (figure !== "memory" && figure !== "heap") return Math.min(...samples.map((one) => one[figure]));
  return median(samples, figure);
}

function median(samples: readonly Sample[], figure: Figure): number {
  const sorted = samples.map((one) => one[figure]).toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Types whose objects have become more, most first: where to look for a leak. */
export function grown(early: readonly Sample[], late: readonly Sample[]): [type: string, more: number][] {
  const [before, after] = [early.at(-1)?.objects ?? {}, late.at(-1)?.objects ?? {}];
  return Object.entries(after)
    .map(([type, count]): [string, number] => [type, count - (before[type] ?? 0)])
    .filter(([, more]) => more > 20)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 12);
}
