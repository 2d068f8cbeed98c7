// How spans are written: each when it ends, because then it is at hand, and nothing but bytes waits.
import type { FinishedSpan } from "./span";

export interface Encoding {
  readonly contentType: string;
  /** A batch without spans. */
  batch(): SpanBatch;
}

/** Spans that are sent together. */
export interface SpanBatch {
  readonly spans: number;
  /** How long its spans are. */
  readonly bytes: number;
  /** How much memory it takes. */
  readonly memory: number;
  /** Writes a span. If it throws, the batch is as before. */
  add(span: FinishedSpan): void;
  /** An `ExportTraceServiceRequest`. Nothing is added afterwards. */
  body(): Uint8Array<ArrayBuffer>;
  /** Ends the use of it and of its body: another batch may take its memory. */
  release(): void;
}
