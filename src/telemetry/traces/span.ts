// A span that has ended, as the exporter takes it.
import type { SpanId, TraceId } from "./ids";

/** The numbers of the protocol (`Span.SpanKind`). */
export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = (typeof SPAN_KIND)[keyof typeof SPAN_KIND];

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

/** What all spans of a trace have in common. */
export interface Trace {
  readonly id: TraceId;
  readonly isSampled: boolean;
  /** `tracestate` of the caller, unchanged; empty: none. */
  readonly state: string;
}

/** The part of a trace that travels: in memory with the work, and in `traceparent` to other systems. */
export interface SpanContext extends SpanId {
  readonly trace: Trace;
}

export interface SpanEvent {
  name: string;
  /** Milliseconds since the epoch, with fractions. */
  atMs: number;
  attributes: Attributes;
}

/** What many spans have in common. An encoding writes it once, so equal ones should be the same object. */
export interface Description {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** `error.type`; undefined: the status is not set, as the conventions want it for what succeeded. */
  readonly error: string | undefined;
}

export interface FinishedSpan {
  readonly context: SpanContext;
  /** Undefined: the root of its trace. */
  readonly parent: SpanId | undefined;
  /** Whether the parent is in another system. */
  readonly hasRemoteParent: boolean;
  readonly description: Description;
  /** Attributes that differ from span to span. */
  readonly own: Attributes | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly SpanEvent[];
  /** Another context that belongs to the work: a request over HTTP that carried a message with a parent of its own. */
  readonly link: SpanContext | undefined;
}

export interface Resource {
  attributes: Attributes;
  /** Version of the program that makes the spans. */
  version: string;
}

/** The name under which spans say what made them. */
export const SCOPE_NAME = "runtime";

/** `Span.flags`: the flags of W3C, whether it is known if the parent is remote, and whether it is. */
export function flagsOf({ context, hasRemoteParent }: FinishedSpan): number {
  return (context.trace.isSampled ? 1 : 0) | 0x100 | (hasRemoteParent ? 0x200 : 0);
}
