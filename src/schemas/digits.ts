// Integers with more digits than a double keeps. `parseJson` reads them as texts of their digits; a tool from outside that
// takes no text there gets the number as the caller wrote it.
import type { Applicable } from "./applicable";

declare global {
  // Of ECMAScript 2026; the engine has them.
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

const LONG = /^-?[1-9]\d{15,399}$/;

/**
 * The value with numbers in the place of texts of digits where the schema takes numbers and no text.
 *
 * @param schemas those of the whole value; throws `TooComplex` if finding those of its parts takes too long
 */
export function withLongIntegers<T>(schemas: Applicable, value: T): T;
export function withLongIntegers(schemas: Applicable, value: unknown): unknown {
  const holders = new Set<unknown>();
  return hasDigits(value, holders) ? convert(schemas, holders, value) : value;
}

/** Adds the lists and objects in which there are digits to `holders`. */
function hasDigits(value: unknown, holders: Set<unknown>): boolean {
  if (typeof value === "string") return LONG.test(value);
  if (typeof value !== "object" || value === null) return false;
  let found = false;
  for (const each of partsOf(value)) if (hasDigits(each, holders)) found = true;
  if (found) holders.add(value);
  return found;
}

function convert(schemas: Applicable, holders: ReadonlySet<unknown>, value: unknown): unknown {
  if (typeof value === "string") return LONG.test(value) && schemas.isInteger ? exact(value) : value;
  if (typeof value !== "object" || value === null || !holders.has(value)) return value;
  if (Array.isArray(value))
    return value.map((each: unknown, index) => convert(schemas.inside(index), holders, each));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, convert(schemas.inside(name), holders, each)]),
  );
}

/** Written as these digits by `JSON.stringify`. */
function exact(digits: string): unknown {
  return JSON.rawJSON(digits);
}

/** For a check: with doubles in the place of exact numbers. */
export function withDoubles(value: unknown): unknown {
  return hasExact(value) ? JSON.parse(JSON.stringify(value)) : value;
}

function hasExact(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return JSON.isRawJSON(value) || partsOf(value).some(hasExact);
}

/** Lists are not copied: they may be long. */
function partsOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}
