// Numbers of JSON text. A cell holds a double; more digits would silently change.

import { isObject, type Json } from "../../../src/tools";
import { keepsValue, mayBeLong } from "../../upstream/number";

/** A number that no cell can hold, as it was written. */
export class LongNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON text that `parsePlainJson` accepts; numbers that would change become `LongNumber`. */
export function withLongNumbers(text: string, parsed: Json): unknown {
  // Without a long run of digits no number can change. A reviver takes ten times as long.
  if (!mayBeLong(text)) return parsed;
  return JSON.parse(text, (_key: string, value: unknown, ...[context]: unknown[]) => {
    const source = isObject(context) ? context["source"] : undefined;
    return typeof value === "number" && typeof source === "string" && !keepsValue(source, value)
      ? new LongNumber(source)
      : value;
  });
}
