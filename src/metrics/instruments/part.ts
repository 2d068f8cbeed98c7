// The families of some kinds of activities, and what the end of one adds to them.
import type { Activities, End, Kind, Series, Start } from "../../telemetry";
import type { Count, Family, Times } from "../families";

/** The series that an end adds to; they are the same for all ends that are equal. */
export type Ended = { [K in Kind]: (start: Start<K>, end: End<K>) => Series };

/** Part of the kinds. */
export interface Part<K extends keyof Activities> {
  families: readonly Family[];
  ended: Pick<Ended, K>;
}

/** Adds one to counters, and the time to histograms. */
export class Added implements Series {
  readonly #counts: readonly Count[];
  readonly #times: readonly Times[];

  constructor(counts: readonly Count[], times: readonly Times[]) {
    this.#counts = counts;
    this.#times = times;
  }

  add(ms: number): void {
    for (const count of this.#counts) count.count++;
    for (const times of this.#times) times.add(ms);
  }
}

/** Limits of buckets in seconds, from an answer out of memory to the longest run of a tool. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
