// Converts the four time filters of messages to the platform's bounds.
import { Type } from "typebox";
import { badInput, retryableInput } from "../../../src/tools";
import { RETRY_AFTER_MS } from "../limits";

const RELATIVE_FORM = "DD:HH:MM";
const DATETIME_FORM = "YYYY-MM-DD HH:MM:SS";
const relative = (what: string) =>
  Type.Optional(
    Type.String({
      description: `${what} Days, hours and minutes before now, in the form '${RELATIVE_FORM}'.`,
    }),
  );
const datetime = (what: string) =>
  Type.Optional(Type.String({ description: `${what} In UTC, in the form '${DATETIME_FORM}'.` }));

/** Spread into a tool's input. */
export const TIME_PARAMETERS = {
  oldest_relative: relative("Only messages since then."),
  latest_relative: relative("Only messages until then; without an oldest bound, only messages since then."),
  oldest_datetime: datetime("Only messages since then. Cannot be combined with oldest_relative."),
  latest_datetime: datetime("Only messages until then. Cannot be combined with latest_relative."),
};

export interface TimeFilters {
  oldest_relative?: string;
  latest_relative?: string;
  oldest_datetime?: string;
  latest_datetime?: string;
}

/** Arguments of `conversations.history`: seconds since 1970, inclusive bounds. Empty without filters. */
export type Window = { oldest?: string; latest?: string; inclusive?: true };

/**
 * The window that the filters describe at the instant `now` (milliseconds), independent of the server's time zone.
 * Throws bad input for filters that exclude each other, and a retryable error that names the expected form for a text
 * that is not a time.
 */
export function windowOf(filters: TimeFilters, now: number): Window {
  const { given, oldest, latest } = boundsOf(filters, now);
  if (oldest === undefined && latest === undefined) return {};
  const names = [
    given.oldest_datetime === undefined ? "oldest_relative" : "oldest_datetime",
    given.latest_datetime === undefined ? "latest_relative" : "latest_datetime",
  ] as const;
  if (oldest === undefined && given.latest_datetime !== undefined)
    return windowBetween(undefined, latest, names);
  // Alone, the relative form means from the bound until now.
  if (oldest === undefined) return windowBetween(latest, now, names);
  // With `oldest` alone the platform starts with the oldest messages; with both, with the newest. An oldest bound in
  // the future (the caller's clock may be fast) is an empty window, not an error.
  return windowBetween(oldest, latest ?? Math.max(now, oldest), names);
}

/**
 * Throws what `windowOf` throws at any time. Whether a relative bound is before an absolute one depends on the time of the
 * run.
 */
export function judgeTimes(filters: TimeFilters): void {
  const { given } = boundsOf(filters, 0);
  const isRelative = given.oldest_relative !== undefined || given.latest_relative !== undefined;
  const isAbsolute = given.oldest_datetime !== undefined || given.latest_datetime !== undefined;
  if (!isRelative || !isAbsolute) windowOf(filters, 0);
}

function boundsOf(filters: TimeFilters, now: number) {
  const given = presentIn(filters);
  requireOne(given, "oldest");
  requireOne(given, "latest");
  const oldest = relativeTime(given, "oldest_relative", now) ?? absoluteTime(given, "oldest_datetime");
  const latest = relativeTime(given, "latest_relative", now) ?? absoluteTime(given, "latest_datetime");
  return { given, oldest, latest };
}

const NAMES = ["oldest_relative", "latest_relative", "oldest_datetime", "latest_datetime"] as const;

/** Blank texts count as absent. */
function presentIn(filters: TimeFilters): TimeFilters {
  const given = NAMES.map((name) => [name, filters[name]?.trim() ?? ""]);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

function requireOne(filters: TimeFilters, bound: "oldest" | "latest"): void {
  const names = [`${bound}_datetime`, `${bound}_relative`] as const;
  if (names.some((name) => filters[name] === undefined)) return;
  throw badInput(`Give one of \`${names[0]}\` and \`${names[1]}\`, not both: leave out \`${names[1]}\`.`);
}

function windowBetween(
  oldest: number | undefined,
  latest: number | undefined,
  names: readonly [string, string],
): Window {
  if (oldest !== undefined && latest !== undefined && oldest > latest) {
    throw badInput(`\`${names[0]}\` must not be later than \`${names[1]}\`. Swap or correct them.`);
  }
  return {
    ...(oldest !== undefined && { oldest: secondsOf(oldest) }),
    ...(latest !== undefined && { latest: secondsOf(latest) }),
    inclusive: true,
  };
}

function relativeTime(
  filters: TimeFilters,
  name: "oldest_relative" | "latest_relative",
  now: number,
): number | undefined {
  const text = filters[name];
  if (text === undefined) return undefined;
  const parts = /^(\d+):(\d+):(\d+)$/.exec(text);
  if (parts === null) throw badTime(name, RELATIVE_FORM, "02:03:00", "two days and three hours ago");
  const [days = 0, hours = 0, minutes = 0] = parts.slice(1).map(Number);
  return now - (days * 86_400 + hours * 3600 + minutes * 60) * 1000;
}

/** UTC unless an offset follows; the form with `T` and fractions is accepted as well. */
const DATETIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?\s*(?:Z|([+-])(\d\d):?(\d\d))?$/i;

function absoluteTime(filters: TimeFilters, name: "oldest_datetime" | "latest_datetime"): number | undefined {
  const text = filters[name];
  if (text === undefined) return undefined;
  const time = parseDatetime(text);
  if (time === undefined)
    throw badTime(name, DATETIME_FORM, "2026-03-08 14:30:00", "half past two in the afternoon, UTC");
  return time;
}

/** Undefined for a text that is not a time, such as the 30th of February. */
function parseDatetime(text: string): number | undefined {
  const match = DATETIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // Parts that are out of range overflow into the next ones, so the result differs from the text.
  const read = date.toISOString().slice(0, 19).replace("T", " ");
  if (read !== text.slice(0, 19).toUpperCase().replace("T", " ")) return undefined;
  const [fraction = "0", sign = "+", offsetHours = "0", offsetMinutes = "0"] = match.slice(7);
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return date.getTime() + Number(`0.${fraction}`) * 1000 - offset;
}

function badTime(name: string, form: string, example: string, meaning: string): Error {
  return retryableInput(`\`${name}\` must have the form '${form}' (for example: ${example}).`, {
    retryAfterMs: RETRY_AFTER_MS,
    additionalPromptContent: `Write \`${name}\` in the form '${form}' and call again: ${example} is ${meaning}.`,
  });
}

/** The platform's timestamps have ten digits before the point and six after it. */
const LAST_SECOND = 9_999_999_999;

function secondsOf(time: number): string {
  const seconds = Math.min(Math.max(time / 1000, 0), LAST_SECOND);
  return Number.isInteger(seconds) ? String(seconds) : seconds.toFixed(6);
}
