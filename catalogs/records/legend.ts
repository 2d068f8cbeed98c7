// Words for the platform's numbers. Its answers keep the numbers; each gets its word in a field next to it.
import type { Json, JsonObject } from "../../src/tools";
import { isJsonObject } from "../upstream/json";

/** Where an answer has numbers, and what they mean. */
export interface Legend {
  /** Lists in lists that lead to the objects with the number. */
  path: readonly string[];
  key: string;
  words: Readonly<Record<number, string>>;
}

/** The platform's page of the get-fields call. Lookups have the number of the field that shows them. */
export const FIELD_TYPES: Readonly<Record<number, string>> = {
  1: "single line",
  2: "multi line",
  3: "email",
  4: "rich text",
  5: "number",
  6: "decimal",
  7: "percent",
  8: "currency",
  9: "auto number",
  10: "date",
  11: "date-time",
  12: "drop-down or lookup",
  13: "radio or lookup",
  14: "multi select or lookup",
  15: "checkbox or lookup",
  16: "decision box",
  17: "URL",
  18: "image",
};

export const COMPONENT_TYPES = { 1: "form", 2: "report", 3: "page" };
export const FORM_TYPES = { 1: "form", 2: "stateless form" };
export const CATEGORIES = { 1: "own", 2: "shared by another workspace" };

/** `1 single line, 2 multi line, …` */
export function legendText(words: Readonly<Record<number, string>>): string {
  return Object.entries(words)
    .map(([number, word]) => `${number} ${word}`)
    .join(", ");
}

/** The answer with words, in `<key>_name`. Numbers without a word get none. */
export function withWords(answer: JsonObject, { path, key, words }: Legend): JsonObject {
  const [list, ...rest] = path;
  if (list === undefined) {
    const number = answer[key];
    const word = typeof number === "number" ? words[number] : undefined;
    return word === undefined ? answer : { ...answer, [`${key}_name`]: word };
  }
  const items: Json | undefined = answer[list];
  if (!Array.isArray(items)) return answer;
  return {
    ...answer,
    [list]: items.map((item) => (isJsonObject(item) ? withWords(item, { path: rest, key, words }) : item)),
  };
}
