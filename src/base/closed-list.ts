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
  const shown = texts.slice(0, MOST_SHOWN).join(", ");
  const more = texts.length > MOST_SHOWN ? ` and ${texts.length - MOST_SHOWN} more` : "";
  const guess = nearestText(texts, given);
  const rule = texts.length === 1 ? "must be" : "must be one of";
  return `${rule} ${shown}${more}${guess === undefined || texts.length === 1 ? "" : ` (nearest: ${guess})`}`;
}

function nearestText(texts: readonly string[], given: unknown): string | undefined {
  if (typeof given === "number" || typeof given === "boolean") return nearest(String(given), texts);
  return typeof given === "string" ? nearest(given.trim(), texts) : undefined;
}
