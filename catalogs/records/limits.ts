// Every number that this toolkit decides by, with its reason.

/** Records of one page, of one request that adds, and of one step of a change by criteria: the platform's maximum. */
export const MOST_RECORDS = 200;

/** Waits after a rate limit that does not say how long: calls under way end soon, a minute's allowance does not. */
export const BACKOFF_MS = [1000, 5000] as const;

/** When a caller may come back after a rate limit that does not say how long: allowances are per minute. */
export const ALLOWANCE_MS = 60_000;

/** Mean wait before a second try. */
export const JITTER_MS = 400;

/** What must be left of the run's time after a wait, for the request that follows. */
export const RESERVE_MS = 5000;

/** Characters of the platform's own text in an error, and of an answer that is not JSON. */
export const TEXT_LIMIT = 500;
