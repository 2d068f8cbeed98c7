// OTLP as JSON: the JSON mapping of Protocol Buffers, but ids in hexadecimal and enumerations as numbers. 64-bit numbers are
// texts.
import type { Encoding, SpanBatch } from "./encoding";
import { hexOfSpan, hexOfTrace } from "./ids";
import {
  type Attributes,
  type AttributeValue,
  type FinishedSpan,
  flagsOf,
  type Resource,
  SCOPE_NAME,
} from "./span";

const encoder = new TextEncoder();
const COMMA = encoder.encode(",");
const AFTER = encoder.encode("]}]}]}");

export class JsonEncoding implements Encoding {
  readonly contentType = "application/json";
  readonly #before: Uint8Array;

  constructor({ attributes, version }: Resource) {
    const scope = JSON.stringify({ name: SCOPE_NAME, version });
    const resource = JSON.stringify({ attributes: keyValues(attributes) });
    this.#before = encoder.encode(
      `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`,
    );
  }

  batch(): SpanBatch {
    return new JsonBatch(this.#before);
  }
}

class JsonBatch implements SpanBatch {
  readonly #before: Uint8Array;
  readonly #written: Uint8Array[] = [];
  #bytes = 0;

  constructor(before: Uint8Array) {
    this.#before = before;
  }

  get spans(): number {
    return this.#written.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get memory(): number {
    return this.#bytes;
  }

  add(span: FinishedSpan): void {
    const written = encoder.encode(JSON.stringify(spanOf(span)));
    this.#written.push(written);
    this.#bytes += written.length;
  }

  body(): Uint8Array<ArrayBuffer> {
    const pieces = this.#written.flatMap((span, at) => (at === 0 ? [span] : [COMMA, span]));
    return new Uint8Array(Bun.concatArrayBuffers([this.#before, ...pieces, AFTER]));
  }

  release(): void {
    this.#written.length = 0;
  }
}

function spanOf(span: FinishedSpan): object {
  const { context, parent, description, own, link } = span;
  const { id, state } = context.trace;
  return {
    traceId: hexOfTrace(id),
    spanId: hexOfSpan(context),
    ...(state === "" ? {} : { traceState: state }),
    ...(parent === undefined ? {} : { parentSpanId: hexOfSpan(parent) }),
    flags: flagsOf(span),
    name: description.name,
    kind: description.kind,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues({ ...description.attributes, ...own }),
    events: span.events.map(({ name, atMs, attributes }) => ({
      name,
      timeUnixNano: nanoseconds(atMs),
      attributes: keyValues(attributes),
    })),
    links: link === undefined ? [] : [{ traceId: hexOfTrace(link.trace.id), spanId: hexOfSpan(link) }],
    status: description.error === undefined ? {} : { code: 2 },
  };
}

/** Nanoseconds since the epoch, to a microsecond: more is not in a number. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function keyValues(attributes: Attributes): object[] {
  const list: object[] = [];
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) list.push({ key, value: anyValue(value) });
  return list;
}

function anyValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: wellFormed(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}

/** Half a character cannot be in UTF-8. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
