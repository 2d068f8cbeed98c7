// The one instrument of the code, with two observers: metrics, and traces if they are on. It runs on every request, so an
// activity is one object, and an observer that is missing costs nothing.
import { type Clock, systemClock } from "../base";
import {
  DONE,
  type End,
  type Events,
  type Kind,
  type Measures,
  type Start,
  THROWN,
  type TraceHeaders,
} from "./activities";

/** Counts what has ended. */
export interface Meter {
  /** `ms`: how long it took. */
  ended<K extends Kind>(kind: K, start: Start<K>, end: End<K>, ms: number): void;
  happened<E extends keyof Events>(event: E, labels: Events[E], times: number): void;
  measured<M extends keyof Measures>(measure: M, label: Measures[M], ms: number): void;
}

/** Makes spans. */
export interface Tracer {
  /** A span below the current one. `atMs`: now, monotonic. */
  start<K extends Kind>(kind: K, start: Start<K>, atMs: number): Span<K>;
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

/** What a run of a tool got and gave. */
export interface Content {
  arguments: unknown;
  result: unknown;
}

export interface Span<K extends Kind> {
  /** Runs work in which the span is the current one. */
  within<T>(work: () => T): T;
  /** `atMs`: now, monotonic. */
  end(fields: End<K>, atMs: number): void;
  /** Called only if the project of the run has switched it on. */
  content(content: () => Content): void;
}

export class Telemetry {
  readonly #clock: Clock;
  #meter: Meter | undefined;
  #tracer: Tracer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the observer; undefined: none. Activities that have begun keep theirs. */
  set meter(meter: Meter | undefined) {
    this.#meter = meter;
  }

  set tracer(tracer: Tracer | undefined) {
    this.#tracer = tracer;
  }

  /** Begins an activity. The caller must end it. */
  begin<K extends Kind>(kind: K, start: Start<K>): Activity<K> {
    const from = this.#clock.monotonic();
    return new Activity(kind, start, from, this.#clock, this.#meter, this.#tracer?.start(kind, start, from));
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

export class Activity<K extends Kind> {
  readonly #kind: K;
  readonly #start: Start<K>;
  readonly #clock: Clock;
  readonly #meter: Meter | undefined;
  readonly #span: Span<K> | undefined;
  readonly #from: number;
  #ms: number | undefined;

  constructor(
    kind: K,
    start: Start<K>,
    from: number,
    clock: Clock,
    meter: Meter | undefined,
    span: Span<K> | undefined,
  ) {
    this.#kind = kind;
    this.#start = start;
    this.#clock = clock;
    this.#meter = meter;
    this.#span = span;
    this.#from = from;
  }

  /** Runs work that belongs to the activity. */
  within<T>(work: () => T): T {
    return this.#span === undefined ? work() : this.#span.within(work);
  }

  /** Ends the activity and returns how long it took, in ms. Only the first end counts. */
  end(fields: End<K>): number {
    if (this.#ms !== undefined) return this.#ms;
    const now = this.#clock.monotonic();
    this.#ms = now - this.#from;
    this.#meter?.ended(this.#kind, this.#start, fields, this.#ms);
    this.#span?.end(fields, now);
    return this.#ms;
  }

  /** What a run of a tool got and gave. It is in its span only if the project has switched that on. */
  content(content: () => Content): void {
    this.#span?.content(content);
  }
}

/** Without observers. */
export const noTelemetry = new Telemetry(systemClock);
