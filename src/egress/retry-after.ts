// The header `Retry-After` (RFC 9110, section 10.2.3).

/** A longer pause helps no caller. */
const MOST_MS = 86_400_000;
// The three forms of RFC 9110, section 5.6.7. `Date.parse` alone reads much more: "1.5" is a day in 2001.
const DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/** In ms from `now`, at most a day; 0 for a time that has passed. Undefined without a valid header. */
export function retryAfterIn(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : DATE.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MOST_MS);
}
