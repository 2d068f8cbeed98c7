// OTLP as JSON: the JSON mapping of Protocol Buffers, but ids in hexadecimal and enumerations as numbers. 64-bit numbers are
// texts.
import type { Encoding } from "./encoding";
import {
  type Attributes,
  type AttributeValue,
  flagsOf,
  nanoseconds,
  type Resource,
  SCOPE_NAME,
  type FinishedSpan,
} from "./span";

export class JsonEncoding implements Encoding {
  readonly contentType = "application/json";
  readonly #encoder = new TextEncoder();
  readonly #before: Uint8Array;
  readonly #after: Uint8Array;

  constructor({ attributes, version }: Resource) {
    const scope = JSON.stringify({ name: SCOPE_NAME, version });
    const resource = JSON.stringify({ attributes: keyValues(attributes) });
    this.#before = this.#encoder.encode(
      `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`,
    );
    this.#after = this.#encoder.encode("]}]}]}");
  }

  span(span: FinishedSpan): Uint8Array {
    return this.#encoder.encode(JSON.stringify(spanOf(span)));
  }

  request(spans: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const comma = this.#encoder.encode(",");
    const pieces = spans.flatMap((span, at) => (at === 0 ? [span] : [comma, span]));
    return new Uint8Array(Bun.concatArrayBuffers([this.#before, ...pieces, this.#after]));
  }
}

function spanOf(span: FinishedSpan): object {
  const { traceId, spanId, traceState } = span.context;
  return {
    traceId,
    spanId,
    ...(traceState === "" ? {} : { traceState }),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    flags: flagsOf(span),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: String(nanoseconds(span.startMs)),
    endTimeUnixNano: String(nanoseconds(span.endMs)),
    attributes: keyValues(span.attributes),
    events: span.events.map(({ name, atMs, attributes }) => ({
      name,
      timeUnixNano: String(nanoseconds(atMs)),
      attributes: keyValues(attributes),
    })),
    links: span.link === undefined ? [] : [{ traceId: span.link.traceId, spanId: span.link.spanId }],
    status: span.error === undefined ? {} : { code: 2 },
  };
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
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
