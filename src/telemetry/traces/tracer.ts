// Makes spans of activities. The current span travels with the work in an `AsyncLocalStorage`, which exists only if traces are
// on.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base";
import type { Events, Kind, Start, TraceHeaders } from "../activities";
import type { Span, Tracer, TraceTarget } from "../telemetry";
import { toolOf, traceOf } from "./kinds";
import { type AnySpan, LiveSpan, type SpanParts } from "./live-span";
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
    this.#parts = { ...parts, storage: this.#storage };
  }

  start<K extends Kind>(kind: K, start: Start<K>): Span<K> {
    const { clock } = this.#parts;
    // A scheduled run does not belong to what happened to be going on at its time.
    const around = toolOf(start)?.entry === "schedule" ? undefined : this.#current();
    const remote = remoteOf(start);
    const parent = remote ?? around?.context;
    return new LiveSpan(this.#parts, kind, start, {
      context: remote === undefined && around !== undefined ? this.#child(around) : this.#first(remote),
      parentSpanId: parent?.spanId,
      isRemote: remote !== undefined,
      around,
      anchorMs: around?.anchorMs ?? clock.now() - clock.monotonic(),
    });
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
    const context = propagation.isEmpty ? undefined : this.#current()?.context;
    if (context === undefined || !propagation.includes(target())) return undefined;
    const { traceState } = context;
    const state = traceState === "" ? {} : { tracestate: traceState };
    return { traceparent: formatTraceparent(context), ...state };
  }

  withhold(secrets: () => readonly string[]): void {
    this.#current()?.withhold(secrets);
  }

  #current(): AnySpan | undefined {
    const span = this.#storage.getStore();
    return span?.isOver(LATE_MS) === true ? undefined : span;
  }

  /** The context of a span in a trace that goes on here. */
  #child({ context: { traceId, traceState, isSampled: sampled } }: AnySpan): SpanContext {
    return { traceId, traceState, spanId: newId(this.#parts.random, 8), isSampled: sampled };
  }

  /** The context of the first span of a trace here, with or without a parent in another system. */
  #first(parent: SpanContext | undefined): SpanContext {
    const { random, sampling } = this.#parts;
    const traceId = parent?.traceId ?? newId(random, 16);
    return {
      traceId,
      traceState: parent?.traceState ?? "",
      spanId: newId(random, 8),
      isSampled: isSampled(sampling, traceId, parent),
    };
  }
}

function remoteOf(start: Start<Kind>): SpanContext | undefined {
  const { traceparent, tracestate } = traceOf(start);
  return traceparent === undefined ? undefined : parseTraceparent(traceparent, tracestate);
}

function newId(random: TracerParts["random"], bytes: number): string {
  const id = random(bytes).toHex();
  // An id of zeros is invalid.
  return /^0+$/.test(id) ? newId(random, bytes) : id;
}
