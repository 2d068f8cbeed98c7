// Points in time on the command line. People mean their own wall clock and scripts mean UTC, so a time needs its zone.
import { UsageError } from "./errors";

/** RFC 3339, with a zone. */
const FORM = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/;
/** A time that was "now" when the line was written. */
const GRACE_MS = 60_000;

/** Checks a time of a flag and returns it in ms. Throws `usage` without a zone. `more`: other forms that the flag takes. */
export function zonedTime(text: string, flag: string, more = ""): number {
  const [date = "", clock = ""] = text.slice(0, 16).split(/[Tt ]/);
  const time = FORM.test(text) ? Date.parse(text.replace(" ", "T").toUpperCase()) : NaN;
  // The parser reads February 30 as March 2.
  if (!Number.isNaN(time) && existsOnCalendar(date)) return time;
  if (WITHOUT_ZONE.test(text))
    throw new UsageError(
      `${flag} needs a time zone: ${date}T${clock || "00:00"}:00Z for UTC, or for example ${date}T${clock || "00:00"}:00+02:00.`,
    );
  throw new UsageError(
    `${flag} takes a time such as 2030-01-31T09:30:00+01:00 or 2030-01-31T08:30:00Z${more}.`,
  );
}

/** As `zonedTime`, for a time that must not have passed. Throws `usage`. */
export function futureTime(text: string, flag: string, now: number, more = ""): number {
  const time = zonedTime(text, flag, more);
  if (time >= now - GRACE_MS) return time;
  throw new UsageError(`${flag} is in the past: ${new Date(time).toISOString()}. Give a later time.`);
}

const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The seconds of a duration of at most 30 days, such as `90s`, `30m`, `1h`, `7d` or `0`. Throws `usage`. */
export function durationOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = "s"] = /^(\d{1,7})([smhd])$|^0$/.exec(text) ?? [];
  const seconds = text === "0" ? 0 : Number(count) * (SECONDS[unit] ?? 0);
  if (seconds <= 30 * 86_400) return seconds;
  throw new UsageError(`${flag} takes a duration such as 30m, 1h or 7d, at most 30d, or 0.`);
}

function existsOnCalendar(date: string): boolean {
  const day = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
}
