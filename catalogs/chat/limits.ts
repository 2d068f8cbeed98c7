// Every number that this toolkit decides by, with its reason.

/** The platform cuts longer messages off; a cut message is worse than a refused one. In characters. */
export const MESSAGE_LIMIT = 40_000;

/** Requests of one tool run that are under way at the same time. */
export const IN_FLIGHT = 3;

/** Time that one tool run may spend on pages, waits and repeats. */
export const PAGING_MS = 30_000;

/** The part of the run's time that may go into them: what follows needs time too. */
export const PAGING_SHARE = 0.9;

/** Mean wait before a second try. */
export const JITTER_MS = 400;

/**
 * Pages of a listing that only looks for a name: the largest that the platform gives. Pages that are handed back:
 * at most the size that it advises.
 */
export const LARGE_PAGE = 999;
export const SMALL_PAGE = 200;

/** How long a listing is believed where it names something, and where it does not. */
export const REMEMBER_MS = 600_000;
export const BELIEVE_ABSENCE_MS = 30_000;

/** Names remembered of one listing of one connection. */
export const REMEMBERED_NAMES = 50_000;

/** When a caller with a mended name may come back. */
export const RETRY_AFTER_MS = 500;

/** Names offered when one was not found. */
export const SUGGESTIONS = 100;

/** People whom one can write to at once, oneself not counted. */
export const MAX_OTHERS = 8;

/** People remembered of one connection, whatever told of them. */
export const REMEMBERED_PEOPLE = 50_000;

/** How much the tools' listings give back: when nothing is said, and at most. */
export const LIST_LIMIT = { default: 200, maximum: 500 } as const;
export const MESSAGES_LIMIT = { default: 20, maximum: 100 } as const;

/** People looked up for their names only: mentioned in messages, and behind reactions. Authors are always. */
export const MENTIONS_NAMED = 100;
export const REACTIONS_NAMED = 50;
