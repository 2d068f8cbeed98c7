// Listings whose items are returned: page after page until the limit is reached. No item is skipped, so the cursor
// continues exactly where the result ends.
import { ToolError, endedBecause } from "../../src/tools";
import type { ChatClient } from "./client";
import { SMALL_PAGE } from "./limits";
import { type Limit, type PageRequest, cursorOf, limitOf } from "./parameters";

/** The part of one page that is returned. */
export interface Part<Item> {
  items: readonly Item[];
  /** How much of the limit it uses up. */
  counts: number;
  /** Cursor of the next page; undefined at the end. */
  next: string | undefined;
}

export interface Collected<Item> {
  items: Item[];
  /** Null at the end of the listing. */
  next_cursor: string | null;
}

/**
 * Reads pages until the limit is used up or the listing ends. Only the cursor tells the end: a page may be short or
 * empty. If the rate limit or the time runs out between two pages, returns what was read.
 * Throws `ToolError`.
 */
export async function collect<Item>(
  client: ChatClient,
  request: PageRequest,
  limit: Limit,
  read: (cursor: string | undefined, size: number) => Promise<Part<Item>>,
): Promise<Collected<Item>> {
  const items: Item[] = [];
  const first = cursorOf(request);
  const seen = new Set([first]);
  let missing = limitOf(request, limit);
  for (let cursor = first; ;) {
    const part = await readUnlessCutShort(client, cursor !== first, () =>
      read(cursor, Math.min(missing, SMALL_PAGE)),
    );
    if (part === undefined) return { items, next_cursor: cursor ?? null };
    for (const item of part.items) items.push(item);
    missing -= part.counts;
    // A repeated cursor would loop forever.
    if (part.next === undefined || seen.has(part.next)) return { items, next_cursor: null };
    if (missing <= 0) return { items, next_cursor: part.next };
    seen.add(part.next);
    cursor = part.next;
  }
}

/** Undefined if the page cannot be read now and there are earlier pages to return. */
async function readUnlessCutShort<Item>(
  client: ChatClient,
  hasEarlier: boolean,
  read: () => Promise<Part<Item>>,
): Promise<Part<Item> | undefined> {
  try {
    if (!hasEarlier || !client.budget.spent) return await read();
  } catch (error) {
    if (!hasEarlier || !isCutShort(client, error)) throw error;
  }
  client.context.log("info", "The listing was cut short. Continue with next_cursor.");
  return undefined;
}

function isCutShort(client: ChatClient, error: unknown): boolean {
  if (error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT") return true;
  return endedBecause(error, "aborted") && client.budget.spent && !client.context.signal.aborted;
}
