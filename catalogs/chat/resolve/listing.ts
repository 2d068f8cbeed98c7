// One page of a listing that is read for names, as large as the platform will give.
import { type JsonObject, networkTimeout, ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { LARGE_PAGE, SMALL_PAGE } from "../limits";
import { codeOf } from "../upstream/failure";
import type { Params } from "../upstream/methods";
import { nextCursorIn } from "../upstream/exchange";
import { teamOfOrganization } from "./identity";

/** A listing method and what is asked of it, cursor and limit aside. */
export interface Source {
  method: "conversations.list" | "users.list";
  params: Params;
}

/** A listing, and what is remembered of its items. */
export interface Listing<Entry> extends Source {
  /** Field of the answer that holds the items. */
  items: string;
  /** Undefined for an item that is of no use. */
  read(item: JsonObject): Entry | undefined;
  /** The names by which it is found, folded as they are compared; none for one that can never be meant. */
  names(entry: Entry, item: JsonObject): readonly string[];
  idOf(entry: Entry): string;
  /** Which of two with the same name is meant. */
  better(entry: Entry, than: Entry): boolean;
  /** What else is to be done with an entry that was read. */
  seen?(client: ChatClient, entry: Entry): void;
}

export interface Page {
  body: JsonObject;
  /** The page size that worked: the one to go on with. */
  size: number;
}

const TOO_LARGE: ReadonlySet<unknown> = new Set(["limit_required", "invalid_limit"]);

/** Reads one page of at most `limit` items. Throws `ToolError`. */
export async function pageOf(
  client: ChatClient,
  { method, params }: Source,
  cursor: string | undefined,
  limit: number,
  repeat = true,
): Promise<JsonObject> {
  const team = await teamOfOrganization(client);
  return client.call(method, { ...params, limit, cursor, team_id: team }, { paging: true, repeat });
}

/** Reads one page; when the platform fails at a large one, a small one is its second try. Throws `ToolError`. */
export async function readPage(
  client: ChatClient,
  source: Source,
  cursor: string | undefined,
  size: number,
): Promise<Page> {
  const read = (limit: number, repeat: boolean) => pageOf(client, source, cursor, limit, repeat);
  if (size < LARGE_PAGE) return { body: await read(size, true), size };
  try {
    return { body: await read(size, false), size };
  } catch (error) {
    if (!mayWorkSmaller(error) || client.budget.spent || client.ended) throw error;
    await client.jitter();
    return { body: await read(SMALL_PAGE, false), size: SMALL_PAGE };
  }
}

/** All pages of a listing, as large as the platform will give, while there is time for them. Throws `ToolError`. */
export async function* pagesOf(client: ChatClient, source: Source): AsyncGenerator<JsonObject, void> {
  const passed = new Set<string>();
  let size = LARGE_PAGE;
  for (let cursor: string | undefined; !client.budget.spent;) {
    const page = await readPage(client, source, cursor, size);
    yield page.body;
    cursor = nextCursorIn(page.body);
    if (cursor === undefined || passed.has(cursor)) return;
    passed.add(cursor);
    size = page.size;
  }
  throw networkTimeout("The platform's listing is too long for the time of one run.");
}

function mayWorkSmaller(error: unknown): boolean {
  if (!(error instanceof ToolError)) return false;
  return TOO_LARGE.has(codeOf(error)) || (error.canRetry && error.kind !== "UPSTREAM_RUNTIME_RATE_LIMIT");
}
