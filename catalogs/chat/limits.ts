// The limits of this toolkit, each with its reason.

/** In characters. The platform truncates longer messages; refusing them is better. */
export const MESSAGE_LIMIT = 40_000;

/** In characters. The platform may post longer messages as several. */
export const SPLIT_LENGTH = 4000;

/** Concurrent requests of one tool run. */
export const IN_FLIGHT = 3;

/** Time that one tool run may spend on pages, waits and retries. */
export const PAGING_MS = 30_000;

/** The share of the run's time that they may use: the rest of the run needs time too. */
export const PAGING_SHARE = 0.9;

/** Time that must be left after a wait, for the call that follows it. */
export const RESERVE_MS = 2000;

/** Mean wait before a retry. */
export const JITTER_MS = 400;

/**
 * Page sizes. A listing that looks up a name uses the largest page that the platform allows; a listing that is
 * returned uses at most the size that the platform recommends.
 */
export const LARGE_PAGE = 999;
export const SMALL_PAGE = 200;

/**
 * How long cached entries are used: what was found, and what was not found. A listing that took longer to read than the
 * second is believed as long as it took.
 */
export const CACHE_MS = 600_000;
export const CACHE_ABSENCE_MS = 30_000;

/** Workspaces of an organization that are listed, one after the other. */
export const MOST_TEAMS = 20;

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

/**
 * Members of a conversation whose profiles one run looks up by a call each, and whose ids are read at once: the platform
 * allows about 100 such calls a minute for all users of a workspace.
 */
export const PROFILES_AT_ONCE = 50;

/** With this many unknown people, up to so many pages of the workspace's people are read first. */
export const LISTED_FROM = 10;
export const LISTED_PAGES = 5;

/** Page sizes of the listing tools. */
export const LIST_LIMIT = { default: 200, maximum: 500 } as const;
export const MESSAGES_LIMIT = { default: 20, maximum: 100 } as const;

/** People looked up only for their names: mentioned ones, and those who reacted. Authors are always looked up. */
export const MENTIONS_NAMED = 100;
export const REACTIONS_NAMED = 50;
