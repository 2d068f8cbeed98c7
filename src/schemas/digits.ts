// Integers with more digits than a double keeps. `parseJson` reads them as texts of their digits; a tool from outside that
// takes no text there gets the number as the caller wrote it.
import { schemasInPlace, schemasInside } from "./places";
import type { Node } from "./references";
import { typesOf } from "./types";

declare global {
  // Of ECMAScript 2026; the engine has them.
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

const LONG = /^-?[1-9]\d{15,399}$/;

/** The value with numbers in the place of texts of digits where the schema takes numbers and no text. */
export function withLongIntegers<T>(root: object, value: T): T;
export function withLongIntegers(root: object, value: unknown): unknown {
  return hasDigits(value) ? convert(root as Node, [root], value) : value;
}

function hasDigits(value: unknown): boolean {
  if (typeof value === "string") return LONG.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasDigits);
}

function convert(root: Node, given: readonly unknown[], value: unknown): unknown {
  if (typeof value === "string") return LONG.test(value) && isNumber(root, given) ? exact(value) : value;
  if (typeof value !== "object" || value === null || !hasDigits(value)) return value;
  const schemas = given.flatMap((schema) => schemasInPlace(root, schema));
  if (Array.isArray(value))
    return value.map((each: unknown, index) => convert(root, schemasInside(schemas, index), each));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, convert(root, schemasInside(schemas, name), each)]),
  );
}

/** Whether no schema takes a text, and some take a number. */
function isNumber(root: Node, schemas: readonly unknown[]): boolean {
  const types = schemas.map((schema) => typesOf(root, schema)).filter((each) => each !== undefined);
  return types.length > 0 && types.every((each) => each.has("integer") && !each.has("string"));
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
  return JSON.isRawJSON(value) || Object.values(value).some(hasExact);
}
