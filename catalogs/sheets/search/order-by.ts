// The orders in which files can be listed.

const KEYS = [
  "createdTime",
  "folder",
  "modifiedByMeTime",
  "modifiedTime",
  "name",
  "name_natural",
  "quotaBytesUsed",
  "recency",
  "sharedWithMeTime",
  "starred",
  "viewedByMeTime",
] as const;

/** Each ascending and descending. `name` sorts 1, 12, 2; `name_natural` 1, 2, 12. */
export const ORDERS = KEYS.flatMap((key) => [key, `${key} desc`] as const);

export const DEFAULT_ORDER = "modifiedTime desc";
