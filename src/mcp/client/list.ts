// Reads lists of a server page by page, within limits: some servers never stop.
import { isObject, type JsonObject } from "../../base";
import type { McpPeer } from "./client";

export const LISTS = {
  "tools/list": { member: "tools", key: "name" },
  "prompts/list": { member: "prompts", key: "name" },
  "resources/list": { member: "resources", key: "uri" },
  "resources/templates/list": { member: "resourceTemplates", key: "uriTemplate" },
} as const;

export interface Listed {
  /** As the server sent them; some may not be objects. */
  items: unknown[];
  /** Names that came again: their first entry counts. */
  repeated: string[];
  /** Why the rest was not read. */
  cut?: string;
  /** How long the server says that the list is valid; the shortest of all pages. */
  ttlMs?: number;
  /** The list belongs to the user whose token was sent. */
  isPrivate: boolean;
}

const MOST_PAGES = 200;
const MOST_ITEMS = 10_000;
const MOST_CHARACTERS = 10_000_000;
const MOST_REPEATED = 50;
/** Pages in a row without a new entry: a filter may leave nothing of a page. */
const MOST_IDLE = 3;

/** Throws as `McpPeer.request` does. */
export async function listAll(peer: McpPeer, method: keyof typeof LISTS): Promise<Listed> {
  const { member, key } = LISTS[method];
  const listed: Listed = { items: [], repeated: [], isPrivate: false };
  const seen = new Set<unknown>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  let idle = 0;
  for (let page = 1; ; page++) {
    const result = await peer.request(method, cursor === undefined ? {} : { cursor });
    characters += JSON.stringify(result).length;
    if (characters > MOST_CHARACTERS) return cut(listed, `it is larger than ${MOST_CHARACTERS} characters`);
    idle = addPage(listed, result, { member, key, seen }) ? 0 : idle + 1;
    const next = result["nextCursor"];
    if (listed.items.length > MOST_ITEMS) {
      listed.items.length = MOST_ITEMS;
      return cut(listed, `it has more than ${MOST_ITEMS} entries`);
    }
    if (typeof next !== "string" || next === "") return listed;
    if (cursors.has(next)) return cut(listed, "the server sent a cursor twice");
    if (idle === MOST_IDLE) return cut(listed, `${MOST_IDLE} pages had nothing new`);
    if (page === MOST_PAGES) return cut(listed, `it has more than ${MOST_PAGES} pages`);
    cursors.add(next);
    cursor = next;
  }
}

function cut(listed: Listed, reason: string): Listed {
  return { ...listed, cut: reason };
}

/** Whether the page had an entry that no page before had. */
function addPage(
  listed: Listed,
  result: JsonObject,
  { member, key, seen }: { member: string; key: string; seen: Set<unknown> },
): boolean {
  const { ttlMs, cacheScope, [member]: items } = result;
  if (typeof ttlMs === "number" && ttlMs >= 0) listed.ttlMs = Math.min(listed.ttlMs ?? Infinity, ttlMs);
  if (cacheScope === "private") listed.isPrivate = true;
  let isNew = false;
  for (const item of Array.isArray(items) ? items : []) {
    const name = isObject(item) ? item[key] : undefined;
    if (name !== undefined && seen.has(name)) {
      const isKnown = listed.repeated.length >= MOST_REPEATED || listed.repeated.includes(String(name));
      if (!isKnown) listed.repeated.push(String(name));
      continue;
    }
    seen.add(name);
    listed.items.push(item);
    isNew = true;
  }
  return isNew;
}
