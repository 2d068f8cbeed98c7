// What a collector says of spans that it has not taken: `ExportTraceServiceResponse`, as JSON and as Protocol Buffers.
import { isObject } from "../../base";

const VARINT = 0;
const BYTES = 2;
/** How long values of the other types are. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
]);

/** How many spans a collector has rejected. Throws if the answer is not one. */
export function rejectedInJson(body: Uint8Array): number {
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  const partial = isObject(answer) ? answer["partialSuccess"] : undefined;
  // A 64-bit number is a text in this mapping; some collectors send a number.
  return isObject(partial) ? Number(partial["rejectedSpans"] ?? 0) : 0;
}

/** The same in the binary encoding. Fields of later versions are skipped. */
export function rejectedInProtobuf(body: Uint8Array): number {
  const partial = fieldOf(body, 1, BYTES);
  const rejected = typeof partial === "object" ? fieldOf(partial, 1, VARINT) : undefined;
  return typeof rejected === "number" ? rejected : 0;
}

/** The last value of a field, if it has this type. */
function fieldOf(body: Uint8Array, field: number, type: number): number | Uint8Array | undefined {
  const reader = new Reader(body);
  let found: number | Uint8Array | undefined;
  while (reader.hasMore) {
    const tag = reader.varint();
    const value = reader.value(tag % 8);
    if (tag === field * 8 + type) found = value;
  }
  return found;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** Numbers of more than 53 bits are not exact. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#take(1)[0] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number of more than ten bytes");
  }

  value(type: number): number | Uint8Array {
    if (type === VARINT) return this.varint();
    const length = type === BYTES ? this.varint() : LENGTHS.get(type);
    if (length === undefined) throw new RangeError(`a value of the type ${type}`);
    return this.#take(length);
  }

  #take(length: number): Uint8Array {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError("the answer ends within a value");
    return this.#bytes.subarray(from, this.#at);
  }
}
