// The limits of this toolkit, each with its reason.

/** In characters. The platform truncates longer messages; refusing them is better. */
export const MESSAGE_LIMIT = 40_000;

/** Concurrent requests of one tool run. */
export const IN_FLIGHT = 3;

/** Time that one tool run may spend on pages, waits and retries. */
export const PAGING_MS = 30_000;

/** The share of the run's time that they may use: the rest of the run needs time too. */
export const PAGING_SHARE = 0.9;

/** Mean wait before a retry. */
export const JITTER_MS = 400;

/**
 * Page sizes. A listing that looks up a name uses the largest page that the platform allows; a listing that is
 * returned uses at most the size that the platform recommends.
 */
export const LARGE_PAGE = 999;
export const SMALL_PAGE = 200;

/** How long cached entries are used: what was found, and what was not found. */
export const CACHE_MS = 600_000;
export const CACHE_ABSENCE_MS = 30_000;

/** Cached names per listing of a connection. */
export const MAX_CACHED_NAMES = 50_000;

/** When a caller may retry with a corrected argument. */
export const RETRY_AFTER_MS = 500;

/** Suggested names when one was not found. */
export const SUGGESTIONS = 100;

/** Other people in one direct conversation. */
export const MAX_OTHERS = 8;

/** Cached people per connection, from any source. */
export const MAX_CACHED_PEOPLE = 50_000;

/** Page sizes of the listing tools. */
export const LIST_LIMIT = { default: 200, maximum: 500 } as const;
export const MESSAGES_LIMIT = { default: 20, maximum: 100 } as const;

/** People looked up only for their names: mentioned ones, and those who reacted. Authors are always looked up. */
export const MENTIONS_NAMED = 100;
export const REACTIONS_NAMED = 50;
