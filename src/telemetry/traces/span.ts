// A span that has ended, as the exporter takes it.

/** The numbers of the protocol (`Span.SpanKind`). */
export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = (typeof SPAN_KIND)[keyof typeof SPAN_KIND];

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

/** The part of a trace that travels: in memory with the work, and in `traceparent` to other systems. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate` of the caller, unchanged; empty: none. */
  readonly traceState: string;
}

export interface SpanEvent {
  name: string;
  /** Milliseconds since the epoch, with fractions. */
  atMs: number;
  attributes: Attributes;
}

export interface FinishedSpan {
  context: SpanContext;
  /** Undefined: the root of its trace. */
  parentSpanId: string | undefined;
  /** Whether the parent is in another system. */
  hasRemoteParent: boolean;
  name: string;
  kind: SpanKind;
  /** Milliseconds since the epoch, with fractions. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  events: readonly SpanEvent[];
  /** Another context that belongs to the work: a request over HTTP that carried a message with a parent of its own. */
  link: SpanContext | undefined;
  /** `error.type`; undefined: the status is not set, as the conventions want it for what succeeded. */
  error: string | undefined;
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
  return (context.isSampled ? 1 : 0) | 0x100 | (hasRemoteParent ? 0x200 : 0);
}

/** Nanoseconds since the epoch, to a microsecond: more is not in a number. */
export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}
