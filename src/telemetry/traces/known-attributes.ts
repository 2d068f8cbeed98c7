// Attributes that are in many spans, as bytes: most values are one of a few, and writing the same text again and again would
// take most of the time of an export.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Of one attribute. One with more is not worth remembering: an id. */
const MOST_VALUES = 128;
const MOST_NAMES = 256;
const LONGEST = 64;

export class KnownAttributes {
  readonly #byName = new Map<string, Map<string, Uint8Array> | "many">();

  /** The bytes of a `KeyValue` with a text; undefined if it is not one that repeats. */
  bytesOf(name: string, value: string): Uint8Array | undefined {
    if (value.length > LONGEST) return undefined;
    const values = this.#byName.get(name) ?? this.#added(name);
    if (values === "many") return undefined;
    const known = values.get(value);
    if (known !== undefined) return known;
    if (values.size >= MOST_VALUES) {
      this.#byName.set(name, "many");
      return undefined;
    }
    const bytes = keyValue(name, value);
    values.set(value, bytes);
    return bytes;
  }

  #added(name: string): Map<string, Uint8Array> | "many" {
    if (this.#byName.size >= MOST_NAMES) return "many";
    const values = new Map<string, Uint8Array>();
    this.#byName.set(name, values);
    return values;
  }
}

function keyValue(name: string, value: string): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(name);
  writer.tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(value);
  return writer.join().finish();
}
