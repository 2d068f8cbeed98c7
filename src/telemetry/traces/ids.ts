// Ids of traces and spans, as numbers of 32 bits with a sign: a text or an array for each would take longer than the rest of
// a span.

export interface SpanId {
  readonly high: number;
  readonly low: number;
}

/** Four numbers, the first four bytes first. */
export type TraceId = readonly [number, number, number, number];

/** Bytes that are drawn at once: one call for hundreds of spans. */
const DRAWN = 4096;

/** New ids. */
export class Ids {
  readonly #random: (bytes: number) => Uint8Array;
  #drawn: DataView = new DataView(new ArrayBuffer());
  #at = 0;

  constructor(random: (bytes: number) => Uint8Array) {
    this.#random = random;
  }

  trace(): TraceId {
    // An id of zeros is invalid.
    return [this.number(), this.number(), this.number(), this.number() || 1];
  }

  /** A part of an id. */
  number(): number {
    if (this.#at === this.#drawn.byteLength) this.#draw();
    const next = this.#drawn.getInt32(this.#at);
    this.#at += 4;
    return next;
  }

  #draw(): void {
    const { buffer, byteOffset, byteLength } = this.#random(DRAWN);
    this.#drawn = new DataView(buffer, byteOffset, byteLength);
    this.#at = 0;
  }
}

export function hexOfTrace(id: TraceId): string {
  return id.map(hex).join("");
}

export function hexOfSpan({ high, low }: SpanId): string {
  return hex(high) + hex(low);
}

/** `text`: 32 hexadecimal digits. */
export function traceIdOf(text: string): TraceId {
  return [numberAt(text, 0), numberAt(text, 8), numberAt(text, 16), numberAt(text, 24)];
}

/** `text`: 16 hexadecimal digits. */
export function spanIdOf(text: string): SpanId {
  return { high: numberAt(text, 0), low: numberAt(text, 8) };
}

function hex(part: number): string {
  return (part >>> 0).toString(16).padStart(8, "0");
}

function numberAt(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 8), 16) | 0;
}
