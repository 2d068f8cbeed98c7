// Parses `run_at` of a request.
import { invalidParameter } from "../../errors";

const FORM = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?$/;

const FIRST = Date.parse("0000-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The instant, ms since the epoch. Without a zone the time is UTC. Throws `invalid_parameter`, without the text, for
 * anything that is not a date and time.
 */
export function instantOf(text: string): number {
  const [, date = "", time = "", fraction = "", zone = "Z"] = FORM.exec(text) ?? [];
  const local = Date.parse(`${date}T${time}Z`);
  // The parser reads February 30 as March 2.
  if (!Number.isNaN(local) && new Date(local).toISOString().startsWith(`${date}T${time}`)) {
    const instant = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`);
    // A zone may move it outside the years that dates can have.
    if (instant >= FIRST && instant <= LAST) return instant;
  }
  throw invalidParameter(
    "run_at must be a date and time such as 2030-01-31T09:30:00: UTC, or with a zone such as +02:00 at its end.",
    { fieldErrors: [{ field: "run_at", rule: "format", message: "must be a date and time" }] },
  );
}
