// The largest values that fit into a body, for each kind of field, as JSON text.
import { isObject } from "../../src/base";
import { least, variantsOf } from "../generated/schema";

/** Below the default limit of a body, 4 MiB, with room for the other fields. */
const BYTES = 4_100_000;
/** Below the limits of list entries and of the keys of one object. */
const MOST = 99_000;
const MOST_KEYS = 4_990;
/** Takes the place of a worst value in a prepared body. */
export const MARKER = "the worst value";

const TEXTS = {
  "an open template": (length: number) => "{{".padEnd(length, " "),
  "escaped quotes": (length: number) => '"\\'.repeat(length / 4),
  "open brackets": (length: number) => "[".repeat(length),
  digits: (length: number) => "9".repeat(length),
  names: (length: number) => "a_-.@".repeat(length / 5),
  "line breaks": (length: number) => "\n".repeat(length / 2),
  mentions: (length: number) => "<@".repeat(length / 2),
  emoji: (length: number) => "\ud83d\ude00".repeat(length / 4),
};
type TextKind = keyof typeof TEXTS;
const TEXT_KINDS: readonly string[] = Object.keys(TEXTS);

/** The media type that marks a text which contains a document. */
export const JSON_TEXT = "application/json";

/** A value that a field may be given, as it is sent. */
export interface Worst {
  name: string;
  json: string;
}

const DOCUMENTS: readonly Worst[] = [
  { name: "50,000 cells", json: documentOf("{", (row) => `"${row}":{"A":1}`, "}") },
  { name: "50,000 rows of a list", json: documentOf('{"data":[', () => '{"A":1}', "]}") },
  {
    name: "a deep document",
    json: documentOf(`{"data":${"[".repeat(1_000_000)}`, String, "]".repeat(1_000_000)),
  },
];

function documentOf(before: string, member: (index: number) => string, after: string): string {
  return JSON.stringify(
    before + Array.from({ length: 50_000 }, (_, index) => member(index + 1)).join(",") + after,
  );
}

/** The worst values of a field. `turn` selects the kind of text, so that all kinds take their turn; absent: all kinds. */
export function worstOf(schema: unknown, turn?: number): Worst[] {
  return variantsOf(schema).flatMap((variant) => {
    const { type, maxLength, items, maxItems, additionalProperties, contentMediaType } = variant;
    if (contentMediaType === JSON_TEXT) return DOCUMENTS;
    if (type === "array") return [listOf(items, typeof maxItems === "number" ? maxItems : MOST)];
    if (type === "integer" || type === "number") return [{ name: "a long number", json: "9".repeat(BYTES) }];
    if (type === "object" || isObject(additionalProperties))
      return [mapOf(additionalProperties), { name: "nested lists", json: "[".repeat(199) + "]".repeat(199) }];
    const kinds = turn === undefined ? TEXT_KINDS : [TEXT_KINDS[turn % TEXT_KINDS.length] ?? ""];
    return kinds.map((kind) => textOf(kind, typeof maxLength === "number" ? maxLength : BYTES));
  });
}

function textOf(kind: string, longest: number): Worst {
  const json = JSON.stringify(
    isTextKind(kind) ? TEXTS[kind](Math.min(longest, BYTES)).slice(0, longest) : "",
  );
  return { name: kind, json };
}

function isTextKind(kind: string): kind is TextKind {
  return kind in TEXTS;
}

function listOf(items: unknown, most: number): Worst {
  const example = items === undefined ? "" : least(items);
  const entry = (index: number): string =>
    JSON.stringify(typeof example === "string" && !isEnumeration(items) ? `u${index}@a.example` : example);
  const fitting = Math.floor(BYTES / (entry(MOST).length + 1));
  const count = Math.min(most, fitting, MOST);
  return {
    name: `${count} entries`,
    json: `[${Array.from({ length: count }, (_, index) => entry(index)).join(",")}]`,
  };
}

function isEnumeration(schema: unknown): boolean {
  return variantsOf(schema).some((variant) => Array.isArray(variant["enum"]));
}

function mapOf(values: unknown): Worst {
  const value = JSON.stringify(isObject(values) ? least(values) : "x");
  const count = Math.min(MOST_KEYS, Math.floor(BYTES / (value.length + 10)));
  const members = Array.from({ length: count }, (_, index) => `"k${index}":${value}`);
  return { name: `${count} keys`, json: `{${members.join(",")}}` };
}
