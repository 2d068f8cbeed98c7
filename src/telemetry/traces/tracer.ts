// Makes spans of activities. The current span travels with the work in an `AsyncLocalStorage`, which exists only if traces are
// on.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base";
import type { Events, Kind, Start, TraceHeaders } from "../activities";
import type { Activity, Observers } from "../activity";
import type { Tracer, TraceTarget } from "../telemetry";
import { Ids } from "./ids";
import { toolOf, traceOf } from "./kinds";
import { type AnySpan, LiveSpan, type LiveTrace, type SpanParts } from "./live-span";
import { isSampled, type Sampling } from "./sampler";
import type { SpanContext } from "./span";
import { formatTraceparent, parseTraceparent } from "./trace-context";

export interface TracerParts extends Pick<SpanParts, "content" | "propagation" | "ended"> {
  clock: Pick<Clock, "now" | "monotonic">;
  random: (bytes: number) => Uint8Array;
  sampling: Sampling;
}

/** The others are about this process, and not about the work that goes on. */
const IN_SPANS: ReadonlySet<keyof Events> = new Set(["consent", "refusal"] as const);
/** Work that begins so long after its span has ended does not belong to it: a loop that a request has started. An answer that is
 * streamed outlasts the span of its request, by an hour at most. */
const LATE_MS = 3_600_000;

export class SpanTracer implements Tracer {
  readonly #parts: TracerParts & SpanParts;
  readonly #storage = new AsyncLocalStorage<AnySpan>();

  constructor(parts: TracerParts) {
    const ids = new Ids(parts.random);
    this.#parts = { ...parts, storage: this.#storage, ids };
  }

  begin<K extends Kind>(observers: Observers, kind: K, start: Start<K>, from: number): Activity<K> {
    // A scheduled run does not belong to what happened to be going on at its time.
    const around = toolOf(start)?.entry === "schedule" ? undefined : this.#current(from);
    const remote = remoteOf(start);
    const trace =
      around !== undefined && remote === undefined ? around.trace : this.#begun(from, around, remote);
    return new LiveSpan(this.#parts, observers, kind, start, from, { trace, remote, around });
  }

  bound<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
    const span = this.#storage.getStore();
    return span === undefined ? work : (...given) => this.#storage.run(span, () => work(...given));
  }

  happened<E extends keyof Events>(event: E, labels: Events[E]): void {
    if (IN_SPANS.has(event)) this.#current()?.happened(event, labels);
  }

  headersFor(target: () => TraceTarget): TraceHeaders | undefined {
    const { propagation } = this.#parts;
    const context = propagation.isEmpty ? undefined : this.#current();
    if (context === undefined || !propagation.includes(target())) return undefined;
    const { state } = context.trace;
    return { traceparent: formatTraceparent(context), ...(state === "" ? {} : { tracestate: state }) };
  }

  withhold(secrets: () => readonly string[]): void {
    if (this.#parts.content.size > 0) this.#current()?.withhold(secrets);
  }

  #current(atMs?: number): AnySpan | undefined {
    const span = this.#storage.getStore();
    if (span === undefined) return undefined;
    return span.isOver(LATE_MS, atMs ?? this.#parts.clock.monotonic()) ? undefined : span;
  }

  /** A trace that begins here, with or without a parent in another system. */
  #begun(atMs: number, around: AnySpan | undefined, parent: SpanContext | undefined): LiveTrace {
    const { ids, sampling, clock } = this.#parts;
    const id = parent?.trace.id ?? ids.trace();
    return {
      id,
      state: parent?.trace.state ?? "",
      isSampled: isSampled(sampling, id, parent?.trace),
      anchorMs: around?.trace.anchorMs ?? clock.now() - atMs,
    };
  }
}

function remoteOf(start: Start<Kind>): SpanContext | undefined {
  const { traceparent, tracestate } = traceOf(start);
  return traceparent === undefined ? undefined : parseTraceparent(traceparent, tracestate);
}
