// Fields of forms and their values in records.

export type Kind =
  "text" | "email" | "number" | "decimal" | "checkbox" | "date" | "choices" | "lookup" | "formula";

export interface Field {
  readonly link: string;
  readonly display: string;
  readonly kind: Kind;
  readonly mandatory?: true;
  readonly unique?: true;
  /** Default 255 for text. */
  readonly maxChar?: number;
  readonly choices?: readonly string[];
  /** Link name of the form that a lookup refers to. */
  readonly target?: string;
}

/** Numbers are the digits as they were given, checkboxes `true` or `false`, lookups ids, multi-value fields lists. */
export type Value = string | readonly string[];
export type Values = Readonly<Record<string, Value>>;

/** The platform's numbers for field types, as in `fields`. */
export const KIND_NUMBERS: Readonly<Record<Kind, number>> = {
  text: 1,
  email: 4,
  number: 5,
  decimal: 6,
  date: 9,
  checkbox: 10,
  choices: 13,
  lookup: 12,
  formula: 15,
};

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Milliseconds of `05-Jan-2026` or `05-Jan-2026 14:03:00`; undefined for any other text. */
export function timeOf(text: string): number | undefined {
  const match = /^(\d{2})-([A-Z][a-z]{2})-(\d{4})(?: (\d{2}):(\d{2}):(\d{2}))?$/.exec(text);
  const month = MONTHS.indexOf(match?.[2] ?? "");
  if (match === null || month < 0) return undefined;
  const [day, year, hours, minutes, seconds] = [1, 3, 4, 5, 6].map((group) => Number(match[group] ?? 0));
  const time = Date.UTC(year ?? 0, month, day ?? 0, hours ?? 0, minutes ?? 0, seconds ?? 0);
  return new Date(time).getUTCDate() === day ? time : undefined;
}

/** Formats a date with the time of day. */
export function dateTimeText(time: number): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
  return `${day} ${[date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":")}`;
}
