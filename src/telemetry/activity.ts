// Work that goes on. It is one object, also if it is a span: it is made on every request.
import type { Clock } from "../base";
import type { End, Kind, Start } from "./activities";
import type { Endings, Series } from "./endings";

/** What a run of a tool got and gave. */
export interface Content {
  arguments: unknown;
  result: unknown;
}

export interface Observers {
  readonly clock: Clock;
  /** Undefined: nothing is counted. */
  readonly meter: Meter | undefined;
  /** Those of the meter. */
  readonly endings: Endings;
}

/** Counts what has ended. */
export interface Meter {
  /** What the end of an activity adds to. It is also used for others that are equal. */
  seriesOf<K extends Kind>(kind: K, start: Start<K>, end: End<K>): Series;
}

export class Activity<K extends Kind> {
  protected readonly observers: Observers;
  protected readonly kind: K;
  protected readonly start: Start<K>;
  /** Monotonic, ms. */
  protected readonly from: number;
  #ms: number | undefined;

  constructor(observers: Observers, kind: K, start: Start<K>, from: number) {
    this.observers = observers;
    this.kind = kind;
    this.start = start;
    this.from = from;
  }

  /** Runs work that belongs to the activity. */
  within<T>(work: () => T): T {
    return work();
  }

  /** Ends the activity and returns how long it took, in ms. Only the first end counts. */
  end(fields: End<K>): number {
    if (this.#ms !== undefined) return this.#ms;
    const now = this.observers.clock.monotonic();
    const ms = now - this.from;
    this.#ms = ms;
    this.ended(fields, now, ms);
    return ms;
  }

  /** What a run of a tool got and gave. It is in its span only if the project has switched that on. */
  content(_content: () => Content): void {}

  /** `atMs`: monotonic. */
  protected ended(fields: End<K>, _atMs: number, ms: number): void {
    const { meter, endings } = this.observers;
    if (meter === undefined) return;
    const { kind, start } = this;
    const ending = endings.of(kind, start, fields, undefined);
    (ending.series ??= meter.seriesOf(kind, start, fields)).add(ms, fields);
  }
}
