// Query strings → objects of the declared types, by a strict table. A repeated parameter: the last one counts; lists
// take commas and repetition.
import type { TObject } from "typebox";
import { checked, isObject } from "../src/base";
import { malformedRequest } from "../src/errors";
import { requestUrl } from "./request-url";

/** Queries that were read before, by their text. Clients ask the same thing over and over, each for its own users. */
const MOST_KNOWN = 10_000;
const LONGEST_KNOWN = 200;
const known = new Map<TObject, Map<string, Record<string, unknown>>>();
let count = 0;

/** The query of a request, frozen. Throws `malformed_request` that names the parameters. */
export function queryOf(schema: TObject, request: Request): Record<string, unknown> {
  const { url } = request;
  const start = url.indexOf("?");
  const text = start < 0 ? "" : url.slice(start);
  const values = known.get(schema) ?? new Map<string, Record<string, unknown>>();
  known.set(schema, values);
  const before = values.get(text);
  if (before !== undefined) return before;
  const value = Object.freeze(readQuery(schema, requestUrl(request).searchParams));
  if (text.length <= LONGEST_KNOWN) keep(values, text, value);
  return value;
}

/** All operations share what may be kept: whoever sends ever new queries to many of them fills no memory. */
function keep(
  values: Map<string, Record<string, unknown>>,
  text: string,
  value: Record<string, unknown>,
): void {
  if (count >= MOST_KNOWN) {
    for (const each of known.values()) each.clear();
    count = 0;
  }
  values.set(text, value);
  count += 1;
}

/** Throws `malformed_request` that names the parameters. Parameters that are not declared are ignored. */
export function readQuery(schema: TObject, search: URLSearchParams): Record<string, unknown> {
  const values: { [name: string]: unknown } = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!search.has(name)) continue;
    const given = search.getAll(name);
    const last = given.at(-1) ?? "";
    // Broken UTF-8 arrives as U+FFFD: two different texts would look like one.
    if (given.some((text) => /[\0\uFFFD]/.test(text))) throw malformedRequest(`${name} is not valid text.`);
    const type = isObject(property) ? property["type"] : undefined;
    values[name] =
      type === "array" ? given.flatMap((text) => text.split(",")).filter(Boolean) : convert(type, last);
  }
  return { ...checked(schema, values, "query") };
}

// What does not convert stays text, and the schema says what it should have been.
function convert(type: unknown, text: string): unknown {
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
