// Values of keywords that contain no schemas.
import { isObject } from "../base";
import { cleanDescription } from "./description";
import { type Form, TYPES } from "./keywords";
import type { Node } from "./references";

/** More of them would be compiled to code that is nested too deeply. */
const MOST_NAMES = 2000;

/** The value in the form that the check reads; undefined if it has none. */
export function plainValue(form: Form, value: unknown): unknown {
  switch (form) {
    case "number":
      return numberOf(value);
    case "limit":
      // Draft 4 and OpenAPI 3.0: whether the limit itself is excluded.
      return typeof value === "boolean" ? value : numberOf(value);
    case "step":
      return typeof value === "number" && value > 0 ? value : undefined;
    case "count":
      return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
    case "label":
      return typeof value === "string" ? value : undefined;
    case "list":
      return Array.isArray(value) ? value : undefined;
    case "boolean":
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "text":
      return typeof value === "string" ? cleanDescription(value) : undefined;
    case "names":
      return namesOf(value);
    case "name lists":
      return nameLists(value);
    case "enum":
      return Array.isArray(value) && value.length > 0 && value.length <= MOST_NAMES ? value : undefined;
    case "type":
      return typesOf(value);
    default:
      return undefined;
  }
}

function nameLists(value: unknown): Node | undefined {
  if (!isObject(value)) return undefined;
  const lists = Object.entries(value).map(([name, names]) => [name, namesOf(names)] as const);
  return lists.some(([, names]) => names === undefined) ? undefined : Object.fromEntries(lists);
}

function namesOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) && value.length <= MOST_NAMES && value.every((name) => typeof name === "string")
    ? [...new Set<unknown>(value)]
    : undefined;
}

/** The known types; undefined if none is known. */
function typesOf(value: unknown): unknown {
  const known = TYPES.filter((type) => [value].flat().includes(type));
  return known.length <= 1 ? known[0] : known;
}

/** Whether a type is unknown, or the value is not a type at all. */
export function hasUnknownType(value: unknown): boolean {
  return [value].flat().some((type) => !TYPES.includes(type));
}

// `parseJson` reads an integer outside the safe range as text with its exact digits.
function numberOf(value: unknown): number | undefined {
  if (typeof value === "string" && /^-?\d{16,400}$/.test(value)) return finite(Number(value));
  return typeof value === "number" ? value : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Draft 4 and OpenAPI 3.0: `exclusiveMinimum: true` says that `minimum` itself is not allowed. */
export function convertLimits(schema: Node): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const value = schema[exclusive];
    if (typeof value !== "boolean") continue;
    delete schema[exclusive];
    const limit = schema[inclusive];
    if (!value || limit === undefined) continue;
    delete schema[inclusive];
    schema[exclusive] = limit;
  }
}
