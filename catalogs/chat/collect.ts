// Listings whose items are returned: page after page until the limit is reached. No item is skipped, so the cursor
// continues exactly where the result ends. What was read is returned although a later page fails.
import { endedBecause, ToolError } from "../../src/tools";
import { isPassing, type Missing } from "../upstream/missing";
import type { ChatClient } from "./client";
import { SMALL_PAGE } from "./limits";
import { type Limit, type PageRequest, cursorOf, limitOf } from "./parameters";
import { cursorAt, positionAfter, positionOf } from "./resolve/segments";
import { codeOf, rateLimitOf } from "./upstream/failure";
import type { Params } from "./upstream/methods";

/** The part of one page that is returned. */
export interface Part<Item> {
  items: readonly Item[];
  /** How much of the limit it uses up. */
  counts: number;
  /** Cursor of the next page; undefined at the end. */
  next: string | undefined;
  /** Whether this run should read no more, although the limit is not reached. */
  isEnough?: boolean;
  /** What could not be read of the page itself. */
  missing?: readonly Missing[];
}

export interface Collected<Item> {
  items: Item[];
  /** Null at the end of the listing. */
  next_cursor: string | null;
  missing: Missing[];
}

export type ReadPart<Item> = (cursor: string | undefined, size: number) => Promise<Part<Item>>;

/**
 * Reads pages until the limit is used up or the listing ends. Only the cursor tells the end: a page may be short or
 * empty. If a failure that passes, or the end of the time, comes between two pages, returns what was read.
 * Throws `ToolError`.
 */
export async function collect<Item>(
  client: ChatClient,
  request: PageRequest,
  limit: Limit,
  read: ReadPart<Item>,
): Promise<Collected<Item>> {
  const items: Item[] = [];
  const missing: Missing[] = [];
  const first = cursorOf(request);
  const seen = new Set([first]);
  let left = limitOf(request, limit);
  for (let cursor = first; ;) {
    const part = await readUnlessCutShort(client, cursor !== first, () =>
      read(cursor, Math.min(left, SMALL_PAGE)),
    );
    if ("ended" in part) {
      const isStale = codeOf(part.ended) === "invalid_cursor";
      missing.push({ what: "the rest of the list", reason: reasonOf(part.ended, isStale) });
      return { items, next_cursor: isStale ? null : (cursor ?? null), missing };
    }
    for (const item of part.items) items.push(item);
    missing.push(...(part.missing ?? []));
    left -= part.counts;
    // A repeated cursor would loop forever.
    if (part.next === undefined || seen.has(part.next)) return { items, next_cursor: null, missing };
    if (left <= 0 || part.isEnough === true) return { items, next_cursor: part.next, missing };
    seen.add(part.next);
    cursor = part.next;
  }
}

/** Reads a listing segment by segment. `read` gets the parameters of the segment. */
export function bySegment<Item>(
  segments: readonly Params[],
  read: (params: Params, ...page: Parameters<ReadPart<Item>>) => Promise<Part<Item>>,
): ReadPart<Item> {
  return async (given, size) => {
    const position = positionOf(given, segments.length);
    const part = await read(segments[position.segment] ?? {}, position.cursor, size);
    // A repeated cursor would loop forever.
    const next = part.next === position.cursor ? undefined : part.next;
    return { ...part, next: cursorAt(positionAfter(position, next), segments.length) };
  };
}

/** Why the page cannot be read now, if there are earlier pages to return. */
async function readUnlessCutShort<Item>(
  client: ChatClient,
  hasEarlier: boolean,
  read: () => Promise<Part<Item>>,
): Promise<Part<Item> | { ended: ToolError | "time" }> {
  try {
    if (!hasEarlier || !client.budget.spent) return await read();
    return { ended: "time" };
  } catch (error) {
    if (!hasEarlier || client.context.signal.aborted) throw error;
    if (endedBecause(error, "aborted")) return { ended: "time" };
    if (isPassing(error) || codeOf(error) === "invalid_cursor") return { ended: error as ToolError };
    throw error;
  }
}

function reasonOf(ended: ToolError | "time", isStale: boolean): string {
  if (ended === "time") return "The time of one call was used up. Continue with next_cursor.";
  if (isStale) return "The platform ended its listing early. Call again without next_cursor.";
  const wait = rateLimitOf(ended);
  return wait === undefined
    ? `${ended.problem} Continue with next_cursor.`
    : `The platform's rate limit is reached. Continue with next_cursor in ${wait} s.`;
}
