// ISO dates and date-times. A cell stores them as days since 30 December 1899, without a time zone.

export interface DateTime {
  /** Days since 30 December 1899. */
  serial: number;
  /** The form that the platform reads in every locale. */
  typed: string;
  hasTime: boolean;
}

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0{1,9})?)?(?:Z|([+-])(\d{2}):?([0-5]\d))?)?$/;
const EPOCH = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Undefined for other text, for days that the calendar does not have, for years before 1900, and for fractions of a
 * second, which would be lost. A date-time with an offset becomes its time in UTC.
 */
export function dateTimeOf(text: string): DateTime | undefined {
  if (text.length < 10 || text.length > 40) return undefined;
  const [, day, hour, minute, second = "00", sign, offsetHours, offsetMinutes] = ISO.exec(text) ?? [];
  if (day === undefined || day < "1900") return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  if (hour === undefined || minute === undefined) {
    return { serial: (midnight - EPOCH) / DAY_MS, typed: day, hasTime: false };
  }
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`) - offset * MINUTE_MS;
  const typed = new Date(time).toISOString().slice(0, 19).replace("T", " ");
  return { serial: (time - EPOCH) / DAY_MS, typed, hasTime: true };
}
