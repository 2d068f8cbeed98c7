// Listings whose items are handed back: page after page until there are as many as were asked for, and never one
// item passed over, so that the cursor goes on exactly where the result ends.
import { ToolError, endedBecause } from "../../src/tools";
import type { ChatClient } from "./client";
import { SMALL_PAGE } from "./limits";
import { type Limit, type PageRequest, cursorOf, limitOf } from "./parameters";

/** One page, as far as it is handed back. */
export interface Part<Item> {
  items: readonly Item[];
  /** How much of the limit it uses up. */
  counts: number;
  /** Where the next page begins; undefined at the end. */
  next: string | undefined;
}

export interface Collected<Item> {
  items: Item[];
  /** Null at the end of the listing. */
  next_cursor: string | null;
}

/**
 * Reads pages until the limit is used up or the listing ends; only the cursor ends it, since a page may be short or
 * empty. When a rate limit or the end of the time comes between two pages, what was read is the result.
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
  const passed = new Set([first]);
  let missing = limitOf(request, limit);
  for (let cursor = first; ;) {
    const part = await readUnlessCut(client, cursor !== first, () =>
      read(cursor, Math.min(missing, SMALL_PAGE)),
    );
    if (part === undefined) return { items, next_cursor: cursor ?? null };
    items.push(...part.items);
    missing -= part.counts;
    // A cursor that comes back would never end.
    if (part.next === undefined || passed.has(part.next)) return { items, next_cursor: null };
    if (missing <= 0) return { items, next_cursor: part.next };
    passed.add(part.next);
    cursor = part.next;
  }
}

/** Undefined when the page could not be read now, and what came before it is worth handing back. */
async function readUnlessCut<Item>(
  client: ChatClient,
  hasEarlier: boolean,
  read: () => Promise<Part<Item>>,
): Promise<Part<Item> | undefined> {
  try {
    if (!hasEarlier || !client.budget.spent) return await read();
  } catch (error) {
    if (!hasEarlier || !isCut(client, error)) throw error;
  }
  client.context.log("info", "The listing was cut short: go on with next_cursor.");
  return undefined;
}

function isCut(client: ChatClient, error: unknown): boolean {
  if (error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT") return true;
  return endedBecause(error, "aborted") && client.budget.spent && !client.context.signal.aborted;
}
