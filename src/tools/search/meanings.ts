// What the words and values of a search mean for tools.
import { EVERYDAY_WORDS, type EverydayWords } from "./everyday-words";
import { stemOf } from "./words";

/** Values and names in a search, and the words that tools use for their kind. */
const VALUES: readonly (readonly [form: RegExp, kind: string])[] = [
  [/(?:^|\s)#\p{L}[\w-]*/gu, "channel"],
  [/\b[A-Z]{1,2}\d{1,4}\b/g, "cell"],
  [/(?<!\S)[^\s@]+@\S+/g, "email"],
  [/\b(?:https?:\/\/)?(?:[\w-]+\.)+(?:com|dev|io|net|org)\b\S*/g, "domain url"],
  [/\b[\w-]+\.(?:csv|docx?|jpg|js|json|md|pdf|png|py|ts|txt|xlsx?)\b/g, "file"],
  [/\b\d+\s?%/g, "percent discount"],
  [
    /\b(?:in|into|to) (?:chinese|english|french|german|italian|japanese|portuguese|spanish)\b/gi,
    "translate language",
  ],
];
/** Times, which tools may also be about. */
const TIMES = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:afternoon|o'clock|tomorrow|tonight)\b/i;

/** The stems of words of tools by those of everyday words, which a space joins. */
export type Meanings = ReadonlyMap<string, readonly string[][]>;

/** The general words, and those of catalogs. */
export function meaningsWith(more: readonly EverydayWords[]): Meanings {
  const meanings = new Map<string, string[][]>();
  for (const [meant, everyday] of [EVERYDAY_WORDS, ...more].flatMap((words) => Object.entries(words))) {
    for (const expression of everyday.split(" ")) {
      const key = stemsOf(expression).join(" ");
      meanings.set(key, [...(meanings.get(key) ?? []), stemsOf(meant)]);
    }
  }
  return meanings;
}

/** Words of an expression. */
const LONGEST = 3;

/** What these stems mean, which are in order: of those that form an expression, only the expression. */
export function meaningsOf(stems: readonly string[], meanings: Meanings): string[][] {
  const meant: string[][] = [];
  for (let at = 0; at < stems.length;) {
    const lengths = Array.from({ length: LONGEST }, (_each, less) => LONGEST - less);
    const length = lengths.find((each) => meanings.has(stems.slice(at, at + each).join(" "))) ?? 1;
    meant.push(...(meanings.get(stems.slice(at, at + length).join(" ")) ?? []));
    at += length;
  }
  return meant;
}

/** A text without the values that are in it, and the words that tools use for their kinds. */
export function withoutValues(text: string): { left: string; kinds: string[] } {
  let left = text;
  const kinds: string[] = TIMES.test(text) ? ["calendar", "event"] : [];
  for (const [form, kind] of VALUES) {
    const without = left.replaceAll(form, " ");
    if (without !== left) kinds.push(...kind.split(" "));
    left = without;
  }
  return { left, kinds: kinds.map(stemOf) };
}

function stemsOf(expression: string): string[] {
  return expression.split("_").map(stemOf);
}
