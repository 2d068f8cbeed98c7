// Lists by offset, as every list of the API answers.
import { invalidParameter } from "../errors";

export interface Paging {
  limit: number;
  offset: number;
}

export interface Page<T> {
  items: T[];
  /** Matches before paging. */
  total_count: number;
  offset: number;
  limit: number;
  /** Number of items on this page. */
  page_count: number;
}

export const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;
/** Lists without paging parameters answer whole, up to this many. */
export const UNPAGED_LIMIT = 1000;

/** Fills in defaults and cuts the limit. Throws `invalid_parameter` when a value is out of range. */
export function paging({
  limit,
  offset,
}: {
  limit?: number | undefined;
  offset?: number | undefined;
}): Paging {
  if (limit !== undefined && limit < 1) throw invalidParameter("limit must be at least 1.");
  if (offset !== undefined && offset < 0) throw invalidParameter("offset must not be negative.");
  return { limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset: offset ?? 0 };
}

export function page<T>(items: T[], total: number, { limit, offset }: Paging): Page<T> {
  return { items, total_count: total, offset, limit, page_count: items.length };
}

/** A list that has no paging parameters: the whole of it is one page. */
export function wholePage<T>(items: T[]): Page<T> {
  return { items, total_count: items.length, offset: 0, limit: items.length, page_count: items.length };
}
