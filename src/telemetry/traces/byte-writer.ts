// Writes Protocol Buffers into one array that grows. A general writer makes an array of each piece and joins them in the end,
// which takes longer than all other work for a span.

const TWO_32 = 2 ** 32;
/** Up to here, operations on bits are faster than those on numbers. */
const LONGEST_INT = 2 ** 31 - 1;
/** Up to here, a tag is one byte. */
const LAST_SHORT_FIELD = 15;
const encoder = new TextEncoder();

/** Numbers of the wire format. */
const WIRE = { varint: 0, bits64: 1, bytes: 2, bits32: 5 } as const;

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = 0;

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The end of what is written. */
  get at(): number {
    return this.#at;
  }

  /** The memory that it takes. */
  get size(): number {
    return this.#bytes.length;
  }

  /** What is written, without a copy. */
  slice(from: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(from, this.#at);
  }

  /** Writes again from this place on. */
  back(at: number): void {
    this.#at = at;
  }

  /** Writes over what is there. */
  overwrite(at: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, at);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#advance(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** The tag and the length of a message that is written elsewhere. */
  length(field: number, length: number): void {
    this.#tagged(field, WIRE.bytes, 0);
    this.#varint(length);
  }

  /** Half a character cannot be in UTF-8, and is replaced. */
  text(field: number, text: string): void {
    const { length } = text;
    const start = this.#at;
    this.length(field, length);
    const from = this.#advance(length);
    const bytes = this.#bytes;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x7f) return this.#longer(field, text, start);
      bytes[from + at] = code;
    }
  }

  /** A whole number that is safe. */
  integer(field: number, value: number): void {
    this.#tagged(field, WIRE.varint, 0);
    // Negative numbers are those of 64 bits (two's complement).
    if (value < 0) this.#long(BigInt.asUintN(64, BigInt(value)));
    else this.#varint(value);
  }

  double(field: number, value: number): void {
    const at = this.#tagged(field, WIRE.bits64, 8);
    this.#view.setFloat64(at, value, true);
  }

  fixed32(field: number, value: number): void {
    const at = this.#tagged(field, WIRE.bits32, 4);
    this.#view.setUint32(at, value, true);
  }

  /** Milliseconds since the epoch as nanoseconds, to a microsecond, in halves: a `bigint` would take longer. */
  time(field: number, ms: number): void {
    const microseconds = Math.round(ms * 1000);
    if (!(microseconds >= 0)) throw new RangeError("a time must be a number");
    const upper = Math.floor(microseconds / TWO_32);
    const lower = (microseconds - upper * TWO_32) * 1000;
    const carry = Math.floor(lower / TWO_32);
    const at = this.#tagged(field, WIRE.bits64, 8);
    this.#view.setUint32(at, lower - carry * TWO_32, true);
    this.#view.setUint32(at + 4, upper * 1000 + carry, true);
  }

  /** Bytes that are numbers of 32 bits, the first four bytes first. */
  id(field: number, first: number, second: number): void {
    const at = this.#tagged(field, WIRE.bytes, 9);
    this.#bytes[at] = 8;
    this.#view.setUint32(at + 1, first);
    this.#view.setUint32(at + 5, second);
  }

  longId(field: number, [first, second, third, fourth]: readonly [number, number, number, number]): void {
    const at = this.#tagged(field, WIRE.bytes, 17);
    this.#bytes[at] = 16;
    this.#view.setUint32(at + 1, first);
    this.#view.setUint32(at + 5, second);
    this.#view.setUint32(at + 9, third);
    this.#view.setUint32(at + 13, fourth);
  }

  /** Begins a message within the message. What is returned is passed to `end`. `digits`: how long its length is likely to be. */
  begin(field: number, digits = 1): number {
    return this.#tagged(field, WIRE.bytes, digits) + digits;
  }

  end(content: number, digits = 1): void {
    const length = this.#at - content;
    const right = varintLength(length) - digits;
    if (right !== 0) {
      this.#advance(right);
      this.#bytes.copyWithin(content + right, content, content + length);
    }
    const until = this.#at;
    this.#at = content - digits;
    this.#varint(length);
    this.#at = until;
  }

  /** A text that has more bytes than characters. */
  #longer(field: number, text: string, start: number): void {
    this.#at = start;
    const bytes = encoder.encode(text);
    this.length(field, bytes.length);
    this.raw(bytes);
  }

  /** Writes a tag, and makes room after it. Returns where that begins. */
  #tagged(field: number, type: number, count: number): number {
    if (field > LAST_SHORT_FIELD) {
      this.#varint(field * 8 + type);
      return this.#advance(count);
    }
    const at = this.#advance(count + 1);
    this.#bytes[at] = field * 8 + type;
    return at + 1;
  }

  #varint(value: number): void {
    let at = this.#advance(varintLength(value));
    let rest = value;
    for (; rest > LONGEST_INT; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 0x80;
    for (; rest > 0x7f; rest >>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  #long(value: bigint): void {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#byte(Number(rest & 0x7fn) | 0x80);
    this.#byte(Number(rest));
  }

  #byte(value: number): void {
    const at = this.#advance(1);
    this.#bytes[at] = value;
  }

  /** Makes room, and returns where it begins. The array may be another one afterwards. */
  #advance(count: number): number {
    const at = this.#at;
    this.#at = at + count;
    if (this.#at > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

function varintLength(value: number): number {
  if (value < 1 << 7) return 1;
  if (value < 1 << 14) return 2;
  let length = 3;
  for (let rest = value / (1 << 21); rest >= 1; rest /= 1 << 7) length++;
  return length;
}
