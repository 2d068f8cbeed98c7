// The limits of this toolkit, each with its reason.

/** Records of one page, of one insert request, and of one step of a change by criteria: the platform's maximum. */
export const MAX_RECORDS = 200;

/** Waits after a rate limit without `Retry-After`: the limit of concurrent calls ends soon, that per minute does not. */
export const BACKOFF_MS = [1000, 5000] as const;

/** When a caller may retry after a rate limit without `Retry-After`: limits are per minute. */
export const RATE_WINDOW_MS = 60_000;

/** Mean wait before a retry. */
export const JITTER_MS = 400;

/** Time that must be left after a wait, for the next request. */
export const RESERVE_MS = 5000;

/** Maximum length of the platform's message in an error, and of an answer that is not JSON. */
export const TEXT_LIMIT = 500;
