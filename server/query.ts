// Converts a query string into an object of the declared types. The last value of a repeated parameter counts; lists accept
// commas and repetition.
import type { TObject } from "typebox";
import { checked, isObject, typoOf } from "../src/base";
import { malformedRequest } from "../src/errors";
import { requestUrl } from "./request-url";

/** Types of the parameters that an operation declares, by name. */
type Types = ReadonlyMap<string, unknown>;
const types = new WeakMap<TObject, Types>();

/**
 * Throws `malformed_request`, which names the parameters, also for one that is very likely a mistyped declared one. Other
 * parameters that are not declared are ignored.
 */
export function queryOf(schema: TObject, request: Request): Record<string, unknown> {
  const declared = typesOf(schema);
  const values: { [name: string]: unknown } = {};
  const lists = new Map<string, string[]>();
  for (const [name, text] of pairsOf(request)) {
    if (!declared.has(name)) {
      // `checked` refuses it with the name that was meant.
      if (typoOf(name, [...declared.keys()]) !== undefined) values[name] = text;
      continue;
    }
    // Broken UTF-8 becomes U+FFFD, so that two different texts would be equal.
    if (text.includes("\0") || text.includes("\uFFFD")) throw malformedRequest(`${name} is not valid text.`);
    const type = declared.get(name);
    if (type === "array") addAll(lists, name, text.split(",").filter(Boolean));
    else values[name] = convert(type, text);
  }
  return { ...checked(schema, { ...values, ...Object.fromEntries(lists) }, "query") };
}

function addAll(lists: Map<string, string[]>, name: string, items: readonly string[]): void {
  const list = lists.get(name) ?? [];
  list.push(...items);
  lists.set(name, list);
}

function typesOf(schema: TObject): Types {
  const known = types.get(schema);
  if (known !== undefined) return known;
  const read = new Map(
    Object.entries(schema.properties).map(([name, property]) => [
      name,
      isObject(property) ? property["type"] : undefined,
    ]),
  );
  types.set(schema, read);
  return read;
}

/** Characters that need no decoding. */
const PLAIN = /^[\w.~!$'()*,;:@/?=&-]*$/;

/** Names and values of the query, in order. */
function pairsOf(request: Request): Iterable<[string, string]> {
  const start = request.url.indexOf("?");
  if (start < 0) return [];
  const text = request.url.slice(start + 1);
  // Most are plain; the platform's parser, which decodes, takes ten times as long.
  if (!PLAIN.test(text)) return requestUrl(request).searchParams;
  const pairs: [string, string][] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    pairs.push(at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)]);
  }
  return pairs;
}

// A value that cannot be converted stays text, and the schema refuses it.
function convert(type: unknown, text: string): unknown {
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
