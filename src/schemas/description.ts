// Texts of workers that people and models read: descriptions and titles.
import { withoutHidden } from "../base";

/** UTF-16 code units. */
const MOST_CHARACTERS = 4096;

/**
 * The text without characters that a person would not see (control characters, marks of direction, tags), which can hide
 * instructions to a model, and cut to 4,096 characters, between code points.
 */
export function cleanDescription(text: string): string {
  // Removing characters from the whole text first would cost as much as a worker likes.
  const start = text.slice(0, 4 * MOST_CHARACTERS).toWellFormed();
  const lines = start.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n");
  return cut(withoutHidden(lines)).trim();
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const isPair = /[\ud800-\udbff]/.test(text.charAt(MOST_CHARACTERS - 1));
  return text.slice(0, isPair ? MOST_CHARACTERS - 1 : MOST_CHARACTERS);
}
