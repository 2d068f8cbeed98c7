// OTLP as binary Protocol Buffers. The numbers of the fields are those of opentelemetry/proto/trace/v1/trace.proto and the
// files that it imports (opentelemetry-proto 1.11.0).
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { wellFormed } from "./encode-json";
import type { Encoding } from "./encoding";
import { KnownAttributes } from "./known-attributes";
import {
  type Attributes,
  type AttributeValue,
  flagsOf,
  type Resource,
  SCOPE_NAME,
  type FinishedSpan,
  type SpanContext,
  type SpanEvent,
} from "./span";

/** Writes spans, and requests with them. Remembers what repeats. */
export class ProtobufEncoding implements Encoding {
  readonly contentType = "application/x-protobuf";
  readonly #known = new KnownAttributes();
  readonly #writer = new BinaryWriter();
  /** The fields of a request before the spans. */
  readonly #resource: Uint8Array;
  readonly #scope: Uint8Array;

  constructor({ attributes, version }: Resource) {
    this.#resource = bytesOf((writer) => message(writer, 1, () => this.#attributes(writer, 1, attributes)));
    this.#scope = bytesOf((writer) =>
      message(writer, 1, () => {
        text(writer, 1, SCOPE_NAME);
        text(writer, 2, version);
      }),
    );
  }

  span(span: FinishedSpan): Uint8Array {
    try {
      this.#span(this.#writer, span);
    } catch (thrown) {
      // The next span does not begin with half of this one.
      this.#writer.finish();
      throw thrown;
    }
    return this.#writer.finish();
  }

  request(spans: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    return bytesOf((writer) =>
      message(writer, 1, () => {
        writer.raw(this.#resource);
        message(writer, 2, () => {
          writer.raw(this.#scope);
          for (const span of spans) writer.tag(2, WireType.LengthDelimited).bytes(span);
        });
      }),
    );
  }

  #span(writer: BinaryWriter, span: FinishedSpan): void {
    const { context, parentSpanId, link, error } = span;
    id(writer, 1, context.traceId);
    id(writer, 2, context.spanId);
    if (context.traceState !== "") text(writer, 3, context.traceState);
    if (parentSpanId !== undefined) id(writer, 4, parentSpanId);
    text(writer, 5, span.name);
    writer.tag(6, WireType.Varint).int32(span.kind);
    time(writer, 7, span.startMs);
    time(writer, 8, span.endMs);
    this.#attributes(writer, 9, span.attributes);
    for (const event of span.events) message(writer, 11, () => this.#event(writer, event));
    if (link !== undefined) message(writer, 13, () => writeLink(writer, link));
    if (error !== undefined) message(writer, 15, () => writer.tag(3, WireType.Varint).int32(2));
    writer.tag(16, WireType.Bit32).fixed32(flagsOf(span));
  }

  #event(writer: BinaryWriter, { atMs, name, attributes }: SpanEvent): void {
    time(writer, 1, atMs);
    text(writer, 2, name);
    this.#attributes(writer, 3, attributes);
  }

  #attributes(writer: BinaryWriter, field: number, attributes: Attributes): void {
    // Without a list of the entries: there are some for every span.
    for (const name in attributes) {
      const value = attributes[name];
      if (value === undefined) continue;
      const known = typeof value === "string" ? this.#known.bytesOf(name, wellFormed(value)) : undefined;
      if (known === undefined) message(writer, field, () => writeAttribute(writer, name, value));
      else writer.tag(field, WireType.LengthDelimited).bytes(known);
    }
  }
}

/** How many spans a collector has rejected, of an `ExportTraceServiceResponse`. Throws if it is not one. */
export function rejectedInProtobuf(body: Uint8Array): number {
  let rejected = 0;
  readFields(new BinaryReader(body), (field, type, reader) => {
    if (field !== 1 || type !== WireType.LengthDelimited) return reader.skip(type);
    readFields(new BinaryReader(reader.bytes()), (inner, innerType, partial) => {
      if (inner === 1 && innerType === WireType.Varint) rejected = Number(partial.int64());
      else partial.skip(innerType);
    });
  });
  return rejected;
}

function readFields(
  reader: BinaryReader,
  take: (field: number, type: WireType, reader: BinaryReader) => unknown,
): void {
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    take(field, type, reader);
  }
}

function bytesOf(write: (writer: BinaryWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}

function writeLink(writer: BinaryWriter, { traceId, spanId }: SpanContext): void {
  id(writer, 1, traceId);
  id(writer, 2, spanId);
}

function writeAttribute(writer: BinaryWriter, name: string, value: AttributeValue): void {
  text(writer, 1, name);
  message(writer, 2, () => anyValue(writer, value));
}

function anyValue(writer: BinaryWriter, value: AttributeValue): void {
  if (typeof value === "string") text(writer, 1, value);
  else if (typeof value === "boolean") writer.tag(2, WireType.Varint).bool(value);
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) writer.tag(3, WireType.Varint).int64(value);
    else writer.tag(4, WireType.Bit64).double(value);
  } else
    message(writer, 5, () => {
      for (const item of value) message(writer, 1, () => anyValue(writer, item));
    });
}

function message(writer: BinaryWriter, field: number, content: () => unknown): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  content();
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.tag(field, WireType.LengthDelimited).string(wellFormed(value));
}

const TWO_32 = 2 ** 32;

/** Nanoseconds since the epoch, to a microsecond, as two halves: a `bigint` for each time would take longer than the rest. */
function time(writer: BinaryWriter, field: number, ms: number): void {
  const microseconds = Math.round(ms * 1000);
  const low = (microseconds % TWO_32) * 1000;
  const high = Math.floor(microseconds / TWO_32) * 1000 + Math.floor(low / TWO_32);
  writer
    .tag(field, WireType.Bit64)
    .fixed32(low % TWO_32)
    .fixed32(high);
}

function id(writer: BinaryWriter, field: number, hex: string): void {
  writer.tag(field, WireType.LengthDelimited).bytes(Uint8Array.fromHex(hex));
}
