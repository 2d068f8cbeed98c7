// What a refusal says about a value that must come from a closed list.
import { nearest } from "./nearest";

/** Longer lists are cut: the text is read by people and models. */
const MOST_SHOWN = 20;

/**
 * "must be one of a, b, c (nearest: b)". Repeats only allowed values, never the given one, which may be a secret.
 *
 * @param given the refused value, or entry of a list
 */
export function closedList(values: readonly unknown[], given?: unknown): string {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const shown = texts.slice(0, MOST_SHOWN).map(plain).join(", ");
  const more = texts.length > MOST_SHOWN ? ` and ${texts.length - MOST_SHOWN} more` : "";
  const rule = texts.length === 1 ? "must be" : "must be one of";
  return `${rule} ${shown}${more}${texts.length === 1 ? "" : nearestOf(texts, given)}`;
}

/** " (nearest: b)", or nothing if no value is close to the given one. */
export function nearestOf(texts: readonly string[], given: unknown): string {
  const text =
    typeof given === "string" || typeof given === "number" || typeof given === "boolean"
      ? String(given).trim()
      : "";
  const guess = text === "" ? undefined : nearest(text, texts);
  return guess === undefined ? "" : ` (nearest: ${plain(guess)})`;
}

/** In quotes only where the text could not be told from the sentence. */
function plain(text: string): string {
  return /^\S$|^\S[^,;()"\n]*[^\s,;()"]$/.test(text) ? text : JSON.stringify(text);
}
