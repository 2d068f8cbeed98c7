// The one instrument of the code, with two observers: metrics, and traces if they are on. It runs on every request, so an
// activity is one object, and an observer that is missing costs nothing.
import { type Clock, systemClock } from "../base";
import {
  DONE,
  type Events,
  type Kind,
  type Measures,
  type Start,
  THROWN,
  type TraceHeaders,
} from "./activities";
import { Activity, type Meter as ActivityMeter, type Observers } from "./activity";
import { Endings } from "./endings";

/** Counts what has ended, and more. */
export interface Meter extends ActivityMeter {
  happened<E extends keyof Events>(event: E, labels: Events[E], times: number): void;
  measured<M extends keyof Measures>(measure: M, label: Measures[M], ms: number): void;
}

/** Makes spans. */
export interface Tracer {
  /** An activity whose span is below the current one. `from`: now, monotonic. */
  begin<K extends Kind>(observers: Observers, kind: K, start: Start<K>, from: number): Activity<K>;
  /** The same function, which runs in the span that is the current one now. */
  bound<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T;
  /** An event of the current span. */
  happened<E extends keyof Events>(event: E, labels: Events[E]): void;
  /** The headers for a request to this target, if it may have them. `target` is called only if any may. */
  headersFor(target: () => TraceTarget): TraceHeaders | undefined;
  /** Texts that must not be in arguments and results: called only if the current run of a tool has them in its span. */
  withhold(secrets: () => readonly string[]): void;
}

/** Who a request goes to. */
export interface TraceTarget {
  /** Host groups, and the name of a toolkit. */
  groups: readonly string[];
  /** The origin; undefined for a program. */
  origin: string | undefined;
}

export class Telemetry {
  #observers: Observers;
  #meter: Meter | undefined;
  #tracer: Tracer | undefined;

  constructor(clock: Clock) {
    this.#observers = { clock, meter: undefined, endings: new Endings() };
  }

  /** Replaces the observer; undefined: none. Activities that have begun keep theirs. */
  set meter(meter: Meter | undefined) {
    this.#meter = meter;
    // Endings lead to the series of the meter before.
    this.#observers = { ...this.#observers, meter, endings: new Endings() };
  }

  set tracer(tracer: Tracer | undefined) {
    this.#tracer = tracer;
  }

  /** Begins an activity. The caller must end it. */
  begin<K extends Kind>(kind: K, start: Start<K>): Activity<K> {
    const observers = this.#observers;
    const from = observers.clock.monotonic();
    if (this.#tracer !== undefined) return this.#tracer.begin(observers, kind, start, from);
    return new Activity(observers, kind, start, from);
  }

  /** Runs work as an activity. It ends with the work, if the work has not ended it with more; a throw is passed on. */
  async observe<K extends Kind, T>(
    kind: K,
    start: Start<K>,
    work: (activity: Activity<K>) => Promise<T>,
  ): Promise<T> {
    const activity = this.begin(kind, start);
    try {
      const result = await activity.within(() => work(activity));
      activity.end(DONE[kind]);
      return result;
    } catch (error) {
      activity.end(THROWN[kind]);
      throw error;
    }
  }

  /** Counts what has no duration. */
  count<E extends keyof Events>(event: E, labels: Events[E], times = 1): void {
    this.#meter?.happened(event, labels, times);
    this.#tracer?.happened(event, labels);
  }

  /** Trace headers for a request that goes out; undefined unless traces are on and the target may have them. */
  headersFor(target: () => TraceTarget): TraceHeaders | undefined {
    return this.#tracer?.headersFor(target);
  }

  /** For functions that the engine calls: what they do belongs to the work that goes on now. */
  bound<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
    return this.#tracer?.bound(work) ?? work;
  }

  /** Keeps secrets that the current run of a tool uses out of its span. */
  withhold(secrets: () => readonly string[]): void {
    this.#tracer?.withhold(secrets);
  }

  /** Counts a time. */
  measure<M extends keyof Measures>(measure: M, label: Measures[M], ms: number): void {
    this.#meter?.measured(measure, label, ms);
  }
}

/** Without observers. */
export const noTelemetry = new Telemetry(systemClock);
