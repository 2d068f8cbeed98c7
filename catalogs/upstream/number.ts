// Numbers of JSON text that a JavaScript number would change.
import { readJson } from "../../src/egress";
import { isObject, type Json } from "../../src/tools";

const MAY_BE_LONG = /[\d.]{16}|\d[eE]/;

/** Whether a JSON text may have such a number: without a long run of digits it has none. */
export function mayBeLong(text: string): boolean {
  return MAY_BE_LONG.test(text);
}

/**
 * Parses an answer. Numbers that would lose digits become text as they were written, integers and decimals alike.
 * Throws `SyntaxError`.
 */
export async function parseExactly(text: string): Promise<Json> {
  const parsed = await readJson(new Response(text));
  // A reviver takes ten times as long.
  if (!mayBeLong(text)) return parsed;
  return JSON.parse(text, (_key: string, value: unknown, ...[context]: unknown[]) => {
    if (typeof value === "string") return value.toWellFormed();
    const source = isObject(context) ? context["source"] : undefined;
    return typeof value === "number" && typeof source === "string" && !keepsValue(source, value)
      ? source
      : value;
  });
}

/** Whether a number keeps its value. `source` is the number as it was written. */
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
