// Columns: A is 1, Z 26, AA 27, ZZZ 18,278. Bijective base 26: there is no zero digit.
import { MAX_COLUMN } from "../limits";

const LETTERS = /^[A-Za-z]{1,3}$/;
const A = 64;

/** The number of a column from its letters, in any case; undefined for other texts. */
export function columnNumber(letters: string): number | undefined {
  if (!LETTERS.test(letters)) return undefined;
  let number = 0;
  for (const letter of letters.toUpperCase()) number = number * 26 + letter.charCodeAt(0) - A;
  return number;
}

/** The letters of a column from its number, 1 to 18,278. */
export function columnLetters(number: number): string {
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(A + 1 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** A column by its letters or by its number as text; undefined for other texts. */
export function columnOf(text: string): number | undefined {
  if (!/^[1-9]\d{0,4}$/.test(text)) return columnNumber(text);
  const number = Number(text);
  return number <= MAX_COLUMN ? number : undefined;
}
