// The families of some kinds of activities, and what the end of one adds to them.
import type { Activities, End, Kind, Start } from "../../telemetry";
import type { Family } from "../families";

export type Ended = { [K in Kind]: (start: Start<K>, end: End<K>, ms: number) => void };

/** Part of the kinds. */
export interface Part<K extends keyof Activities> {
  families: readonly Family[];
  ended: Pick<Ended, K>;
}

/** Limits of buckets in seconds, from an answer out of memory to the longest run of a tool. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
