// Lists that are fetched a hundred entries at a time.
import { defined } from "./command";

const MOST = 100;

/** Every record of a list with offsets, or up to `limit` from `offset`. */
export async function everyRecord<T>(
  page: (window: { limit: number; offset: number }) => Promise<{ items: T[]; total_count: number }>,
  { limit = Infinity, offset = 0 }: { limit?: number | undefined; offset?: number | undefined } = {},
): Promise<T[]> {
  const records: T[] = [];
  while (records.length < limit) {
    const left = Math.min(MOST, limit - records.length);
    const { items, total_count } = await page({ limit: left, offset: offset + records.length });
    records.push(...items);
    if (items.length === 0 || offset + records.length >= total_count) break;
  }
  return records;
}

export const WINDOW_FLAGS = [
  { flag: "--limit <n>", meaning: "how many to show (default: 25)" },
  { flag: "--before <id>", meaning: "only entries older than this one" },
];

/** The newest `limit` entries of a list that is read backwards; `more`: where the older ones begin, if there are any. */
export async function newest<T>(
  page: (window: { limit: number; before?: string }) => Promise<{ items: T[]; next?: string }>,
  limit = 25,
  before?: string,
): Promise<{ items: T[]; more: string | undefined }> {
  const items: T[] = [];
  let from = before;
  for (;;) {
    const left = Math.min(MOST, limit - items.length);
    const { items: found, next } = await page({ limit: left, ...defined({ before: from }) });
    items.push(...found);
    if (next === undefined || items.length >= limit) return { items, more: next };
    from = next;
  }
}
