// Pages of a listing that is read to look up names: as large as the platform allows.
import { type Json, type JsonObject, networkTimeout, ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { LARGE_PAGE, SMALL_PAGE } from "../limits";
import { codeOf } from "../upstream/failure";
import type { MethodName, Params } from "../upstream/methods";
import { nextCursorIn } from "../upstream/exchange";
import { segmentsOf } from "./segments";

type ListMethod = Extract<MethodName, "conversations.list" | "users.conversations" | "users.list">;

/** A listing method and its parameters, without cursor and limit. */
export interface Source {
  method: ListMethod;
  params: Params;
}

/** A listing, and what is cached of its items. */
export interface Listing<Entry extends object> {
  method: ListMethod;
  /** The parameters of what is read, one after the other. */
  sources: readonly Params[];
  /** Field of the answer that holds the items. */
  items: string;
  /** Undefined for an item that cannot be used. */
  read(item: JsonObject): Entry | undefined;
  /** The names by which it is found, normalized for comparison; none for an entry that callers cannot address. */
  names(entry: Entry): readonly string[];
  idOf(entry: Entry): string;
  /** Whether `entry` takes precedence over `than`, which has the same name. */
  better(entry: Entry, than: Entry): boolean;
  /** What is remembered of an entry after the process has ended. */
  packed(entry: Entry): Json[];
  /** Undefined for what another version has remembered. */
  unpacked(fields: readonly Json[]): Entry | undefined;
  /** Called with each entry that was read. */
  seen?(client: ChatClient, entry: Entry): void;
}

export interface Page {
  body: JsonObject;
  /** The page size that worked, for the next page. */
  size: number;
}

const TOO_LARGE: ReadonlySet<unknown> = new Set(["limit_required", "invalid_limit"]);

/** Reads one page of at most `limit` items. Throws `ToolError`. */
export async function pageOf(
  client: ChatClient,
  { method, params }: Source,
  cursor: string | undefined,
  limit: number,
  options: { retry?: boolean; ownCursor?: boolean } = {},
): Promise<JsonObject> {
  return client.call(method, { ...params, limit, cursor }, { paging: true, ...options });
}

/** Reads one page. If a large page fails, retries with a small one. Throws `ToolError`. */
export async function readPage(
  client: ChatClient,
  source: Source,
  cursor: string | undefined,
  size: number,
): Promise<Page> {
  const read = (limit: number, retry: boolean) =>
    pageOf(client, source, cursor, limit, { retry, ownCursor: true });
  if (size < LARGE_PAGE) return { body: await read(size, true), size };
  try {
    return { body: await read(size, false), size };
  } catch (error) {
    if (!mayWorkWithSmallPage(error) || client.budget.spent || client.ended) throw error;
    await client.jitter();
    return { body: await read(SMALL_PAGE, false), size: SMALL_PAGE };
  }
}

/** All pages of a listing, as large as the platform allows. Throws `ToolError`, also when the time is spent. */
export async function* pagesOf(
  client: ChatClient,
  { method, params }: Source,
): AsyncGenerator<JsonObject, void> {
  for (const segment of await segmentsOf(client, [params])) {
    const seen = new Set<string>();
    let size = LARGE_PAGE;
    for (let cursor: string | undefined; ;) {
      if (client.budget.spent)
        throw networkTimeout("The platform's listing is too long for the time of one run.");
      const page = await readPage(client, { method, params: segment }, cursor, size);
      yield page.body;
      cursor = nextCursorIn(page.body);
      if (cursor === undefined || seen.has(cursor)) break;
      seen.add(cursor);
      size = page.size;
    }
  }
}

function mayWorkWithSmallPage(error: unknown): boolean {
  if (!(error instanceof ToolError)) return false;
  return TOO_LARGE.has(codeOf(error)) || (error.canRetry && error.kind !== "UPSTREAM_RUNTIME_RATE_LIMIT");
}
