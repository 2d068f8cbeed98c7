// Every number that this toolkit decides by, with its reason.

/** Cells of one spreadsheet, all sheets together, filled or not: the platform's limit. */
export const MAX_CELLS = 10_000_000;

/** Column ZZZ: the platform's last one. */
export const MAX_COLUMN = 18_278;

/** No sheet can have more rows than there may be cells. */
export const MAX_ROW = MAX_CELLS;

/** Characters of one cell: the platform's limit. */
export const MAX_TEXT = 50_000;

/** The grid of a new sheet, as the platform makes it. */
export const NEW_ROWS = 1000;
export const NEW_COLUMNS = 26;

/** Largest window that is read at once. */
export const WINDOW_ROWS = 1000;
export const WINDOW_COLUMNS = 100;

/** Largest result, in bytes of JSON: more than that is of no use to a model. */
export const MAX_RESULT_BYTES = 10_000_000;

/** Calls of one search: pages may be short although more exist. */
export const MAX_PAGES = 5;

/** How often one call is sent. */
export const MAX_TRIES = 4;

/** Time for one try; a silent platform leaves time for a second one. */
export const REQUEST_MS = 30_000;

/** Backoff as the platform advises it: 1, 2, 4 … s and up to a second more, never above this. */
export const BACKOFF_MS = 1000;
export const JITTER_MS = 1000;
export const LONGEST_BACKOFF_MS = 32_000;

/** Part of a run's time that must be left when a wait ends: the call that follows needs some. */
export const RESERVE_MS = 1000;

/** The platform counts reads and writes of a user apart, by the minute. */
export const CALLS_PER_MINUTE = 60;
export const MINUTE_MS = 60_000;

/** Calls of one user that are under way at the same time. */
export const IN_FLIGHT = 4;

/** How long an unused line of a user is kept. */
export const LINE_MS = 600_000;
