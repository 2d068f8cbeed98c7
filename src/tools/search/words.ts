// Splits names, descriptions and searches into words, and reduces each to its stem.
import { stemmer } from "stemmer";

/** Words that say nothing about a tool. */
const FILLERS = new Set(
  (
    "a all an and any are as at be by can could did do does for from had has have her his how i if in is it its me my not of " +
    "on or our please should so some that the there these this those to up was we were what when where which who why will " +
    "with would you your"
  ).split(" "),
);

const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words of a text in lower case: `SendMessage` → send, message. */
export function wordsIn(text: string): string[] {
  const parted = text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase();
  const words = parted.match(WORD) ?? [];
  return UNSPACED.test(parted) ? words.flatMap(segmented) : words;
}

function segmented(word: string): string[] {
  if (!UNSPACED.test(word)) return [word];
  return Array.from(segmenter.segment(word), ({ segment }) => segment);
}

/** `messages` → `messag`: the same for all forms of a word. */
export function stemOf(word: string): string {
  return stemmer(word);
}

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}
