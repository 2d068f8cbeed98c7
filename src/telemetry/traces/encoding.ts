// How spans are written: each when it ends, because then it is at hand, and nothing but bytes waits.
import type { FinishedSpan } from "./span";

export interface Encoding {
  readonly contentType: string;
  /** A `Span`. */
  span(span: FinishedSpan): Uint8Array;
  /** An `ExportTraceServiceRequest`. */
  request(spans: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
}
