// Pages of a list, by offset.
import { invalidParameter } from "../errors";

export interface Paging {
  limit: number;
  offset: number;
}

export interface Page<T> {
  items: T[];
  /** Number of matches on all pages. */
  total_count: number;
  offset: number;
  limit: number;
  /** Number of items on this page. */
  page_count: number;
}

export const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;
/** The most items of a list that has no paging parameters. */
export const UNPAGED_LIMIT = 1000;

/** Applies the defaults and the maximum. Throws `invalid_parameter` if a value is out of range. */
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

/** A list without paging parameters, as one page. */
export function wholePage<T>(items: T[]): Page<T> {
  return { items, total_count: items.length, offset: 0, limit: items.length, page_count: items.length };
}
