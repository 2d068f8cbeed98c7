// The limits of this toolkit, each with its reason.

/** Cells of one spreadsheet, in all sheets, including empty ones: the platform's limit. */
export const MAX_CELLS = 10_000_000;

/** Column ZZZ: the platform's last one. */
export const MAX_COLUMN = 18_278;

/** A sheet cannot have more rows than cells. */
export const MAX_ROW = MAX_CELLS;

/** Characters of one cell: the platform's limit. */
export const MAX_TEXT = 50_000;

/** Written cells whose displayed values are returned: a model cannot use more. */
export const MAX_DISPLAYED = 1000;

/** The grid of a new sheet: the platform's default. */
export const NEW_ROWS = 1000;
export const NEW_COLUMNS = 26;

/** Largest window that is read at once. */
export const WINDOW_ROWS = 1000;
export const WINDOW_COLUMNS = 100;

/** Largest result, in bytes of JSON: a model cannot use more. */
export const MAX_RESULT_BYTES = 10_000_000;

/** Calls of one search: a page may be short although more results exist. */
export const MAX_PAGES = 5;

/** How often one call is sent at most. */
export const MAX_ATTEMPTS = 4;

/** Backoff as the platform recommends it: 1, 2, 4 … s plus up to one second, with a maximum. */
export const BACKOFF_MS = 1000;
export const JITTER_MS = 1000;
export const LONGEST_BACKOFF_MS = 32_000;

/** Time that must be left after a wait, for the next call. */
export const RESERVE_MS = 1000;

/** The platform counts reads and writes of a user separately, per minute. */
export const CALLS_PER_MINUTE = 60;
export const MINUTE_MS = 60_000;

/** Concurrent calls of one user. */
export const IN_FLIGHT = 4;

/** How long the unused limiter of a user is cached. */
export const LIMITER_MS = 600_000;
