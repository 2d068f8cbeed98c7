// OTLP as binary Protocol Buffers. The numbers of the fields are those of opentelemetry/proto/trace/v1/trace.proto and the
// files that it imports (opentelemetry-proto 1.11.0).
import { ByteWriter } from "./byte-writer";
import type { Encoding, SpanBatch } from "./encoding";
import {
  type Attributes,
  type AttributeValue,
  type Description,
  type FinishedSpan,
  flagsOf,
  type Resource,
  SCOPE_NAME,
  type SpanEvent,
} from "./span";

/** The memory of the first batch: some fifty spans. */
const FIRST_BYTES = 16 * 1024;

export class ProtobufEncoding implements Encoding {
  readonly contentType = "application/x-protobuf";
  readonly #memory: Memory;

  constructor({ attributes, version }: Resource) {
    const resource = bytesOf((writer) => {
      const begun = writer.begin(1);
      writeAttributes(writer, 1, attributes);
      writer.end(begun);
    });
    const scope = bytesOf((writer) => {
      const begun = writer.begin(1);
      writer.text(1, SCOPE_NAME);
      writer.text(2, version);
      writer.end(begun);
    });
    this.#memory = { resource, scope, descriptions: new WeakMap(), names: new Map(), spare: undefined };
  }

  batch(): SpanBatch {
    return new ProtobufBatch(this.#memory);
  }
}

/** What batches have in common. */
interface Memory {
  /** The fields of a request before the spans. */
  readonly resource: Uint8Array;
  readonly scope: Uint8Array;
  /** What has been written before. */
  readonly descriptions: WeakMap<Description, Uint8Array>;
  readonly names: Map<string, Uint8Array>;
  /** Of a batch that is not used any more: new memory costs as much as the spans in it. */
  spare: ByteWriter | undefined;
}

/** Writes spans one after the other. There is room before them for what comes first in a request and has their length. */
class ProtobufBatch implements SpanBatch {
  readonly #memory: Memory;
  readonly #writer: ByteWriter;
  readonly #from: number;
  #spans = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
    // Two tags, and two lengths of at most five bytes.
    this.#from = memory.resource.length + memory.scope.length + 12;
    this.#writer = memory.spare ?? new ByteWriter(FIRST_BYTES);
    this.#writer.back(this.#from);
    memory.spare = undefined;
  }

  get spans(): number {
    return this.#spans;
  }

  get bytes(): number {
    return this.#writer.at - this.#from;
  }

  get memory(): number {
    return this.#writer.size;
  }

  add(span: FinishedSpan): void {
    const writer = this.#writer;
    const { at } = writer;
    try {
      const begun = writer.begin(2, 2);
      this.#write(writer, span);
      writer.end(begun, 2);
      this.#spans++;
    } catch (thrown) {
      // The next span does not begin with half of this one.
      writer.back(at);
      throw thrown;
    }
  }

  body(): Uint8Array<ArrayBuffer> {
    const { resource, scope } = this.#memory;
    const scoped = bytesOf((writer) => {
      writer.length(2, scope.length + this.bytes);
      writer.raw(scope);
    });
    const head = bytesOf((writer) => {
      writer.length(1, resource.length + scoped.length + this.bytes);
      writer.raw(resource);
      writer.raw(scoped);
    });
    const from = this.#from - head.length;
    this.#writer.overwrite(from, head);
    return this.#writer.slice(from);
  }

  release(): void {
    this.#memory.spare = this.#writer;
  }

  #write(writer: ByteWriter, span: FinishedSpan): void {
    const { context, parent, description, own, events, link } = span;
    const { id, state } = context.trace;
    writer.longId(1, id);
    writer.id(2, context.high, context.low);
    if (state !== "") writer.text(3, state);
    if (parent !== undefined) writer.id(4, parent.high, parent.low);
    writer.time(7, span.startMs);
    writer.time(8, span.endMs);
    writer.fixed32(16, flagsOf(span));
    writer.raw(this.#memory.descriptions.get(description) ?? this.#described(description));
    if (own !== undefined) this.#writeOwn(writer, own);
    for (const event of events) writeEvent(writer, event);
    if (link === undefined) return;
    const begun = writer.begin(13);
    writer.longId(1, link.trace.id);
    writer.id(2, link.high, link.low);
    writer.end(begun);
  }

  #writeOwn(writer: ByteWriter, own: Attributes): void {
    for (const name in own) {
      const value = own[name];
      if (value === undefined) continue;
      const begun = writer.begin(9);
      writer.raw(this.#memory.names.get(name) ?? this.#named(name));
      writeValue(writer, 2, value);
      writer.end(begun);
    }
  }

  /** There are a few names only: those of `names.ts`. */
  #named(name: string): Uint8Array {
    const bytes = bytesOf((writer) => writer.text(1, name));
    this.#memory.names.set(name, bytes);
    return bytes;
  }

  #described(description: Description): Uint8Array {
    const { name, kind, attributes, error } = description;
    const bytes = bytesOf((writer) => {
      writer.text(5, name);
      writer.integer(6, kind);
      writeAttributes(writer, 9, attributes);
      if (error === undefined) return;
      const begun = writer.begin(15);
      writer.integer(3, 2);
      writer.end(begun);
    });
    this.#memory.descriptions.set(description, bytes);
    return bytes;
  }
}

function bytesOf(write: (writer: ByteWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(512);
  write(writer);
  return writer.slice(0);
}

function writeEvent(writer: ByteWriter, { atMs, name, attributes }: SpanEvent): void {
  const begun = writer.begin(11);
  writer.time(1, atMs);
  writer.text(2, name);
  writeAttributes(writer, 3, attributes);
  writer.end(begun);
}

function writeAttributes(writer: ByteWriter, field: number, attributes: Attributes): void {
  // Without a list of the entries: there are some for every span.
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    const begun = writer.begin(field);
    writer.text(1, name);
    writeValue(writer, 2, value);
    writer.end(begun);
  }
}

function writeValue(writer: ByteWriter, field: number, value: AttributeValue): void {
  const begun = writer.begin(field);
  if (typeof value === "string") writer.text(1, value);
  else if (typeof value === "boolean") writer.integer(2, value ? 1 : 0);
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) writer.integer(3, value);
    else writer.double(4, value);
  } else {
    const list = writer.begin(5);
    for (const item of value) writeValue(writer, 1, item);
    writer.end(list);
  }
  writer.end(begun);
}
