// Numbers of JSON text. A cell holds a double; more digits would silently change.

import { isObject, type Json } from "../../../src/tools";

/** A number that no cell can hold, as it was written. */
export class LongNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const MAY_BE_LONG = /[\d.]{16}|\d[eE]/;

/** Parses JSON text that `parsePlainJson` accepts; numbers that would change become `LongNumber`. */
export function withLongNumbers(text: string, parsed: Json): unknown {
  // Without a long run of digits no number can change. A reviver takes ten times as long.
  if (!MAY_BE_LONG.test(text)) return parsed;
  return JSON.parse(text, (_key: string, value: unknown, ...[context]: unknown[]) => {
    const source = isObject(context) ? context["source"] : undefined;
    return typeof value === "number" && typeof source === "string" && !keepsValue(source, value)
      ? new LongNumber(source)
      : value;
  });
}

/** Whether a number keeps its value in a cell. `source` is the number as it was written. */
export function keepsValue(source: string, number: number): boolean {
  return Number.isFinite(number) && decimalOf(source) === decimalOf(String(number));
}

/** The same text for all ways of writing one number: its significant digits and its exponent. */
function decimalOf(source: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === "0") first++;
  let last = digits.length;
  while (last > first && digits[last - 1] === "0") last--;
  if (first === last) return "0";
  return `${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`;
}
