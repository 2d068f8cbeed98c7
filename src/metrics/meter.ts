// What activities, events and measures become as metrics.
import type { End, Events, Kind, Measures, Meter, Series, Start } from "../telemetry";
import type { Family, Histogram } from "./families";
import { databaseFamilies, eventFamilies, type Happened } from "./instruments/events";
import { otherFamilies } from "./instruments/others";
import type { Ended } from "./instruments/part";
import { requestFamilies } from "./instruments/requests";
import { runFamilies } from "./instruments/runs";

export class MetricsMeter implements Meter {
  readonly families: readonly Family[];
  readonly #ended: Ended;
  readonly #happened: Happened;
  readonly #measures: Readonly<Record<keyof Measures, Histogram>>;

  /** `builtIn`: the toolkits that every project has, whose names are not those of a project. */
  constructor(builtIn: readonly string[]) {
    const requests = requestFamilies();
    const runs = runFamilies(builtIn);
    const others = otherFamilies();
    const [events, happened] = eventFamilies();
    this.#measures = databaseFamilies();
    this.families = [
      ...requests.families,
      ...runs.families,
      ...others.families,
      ...events,
      ...Object.values(this.#measures),
    ];
    this.#ended = { ...requests.ended, ...runs.ended, ...others.ended };
    this.#happened = happened;
  }

  seriesOf<K extends Kind>(kind: K, start: Start<K>, end: End<K>): Series {
    return this.#ended[kind](start, end);
  }

  happened<E extends keyof Events>(event: E, labels: Events[E], times: number): void {
    this.#happened[event](labels, times);
  }

  measured<M extends keyof Measures>(measure: M, label: Measures[M], ms: number): void {
    this.#measures[measure].observe([label], ms);
  }
}
