// The part of a workspace listing that has been read: names, and the cursor of the next page. All runs of a connection
// share it, so that no page is read twice while it is fresh.
import type { JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { LARGE_PAGE, CACHE_MS, MAX_CACHED_NAMES } from "../limits";
import { codeOf } from "../upstream/failure";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn } from "../../upstream/json";
import { type Listing, readPage } from "./listing";

export class Directory<Entry> {
  /** When its first page was read. */
  startedAt: number;
  /** Whether the last page has been read. */
  complete = false;
  readonly #listing: Listing<Entry>;
  readonly #createdAt: number;
  readonly #entries = new Map<string, Entry>();
  readonly #cursors = new Set<string>();
  #cursor: string | undefined;
  #pages = 0;
  #restarted = false;
  #pageSize = LARGE_PAGE;

  /** The connection's directory of this listing; an empty one if there is none or it has expired. */
  static of<Entry>(client: ChatClient, listing: Listing<Entry>): Directory<Entry> {
    const { cache, now } = client.context;
    const known = cache.get<Directory<Entry>>(keyOf(listing));
    if (known !== undefined) return known;
    const directory = new Directory(listing, now());
    cache.set(keyOf(listing), directory, CACHE_MS);
    return directory;
  }

  private constructor(listing: Listing<Entry>, now: number) {
    this.#listing = listing;
    this.#createdAt = now;
    this.startedAt = now;
  }

  /** Lets the next search start with an empty directory, unless another run has already started one. */
  forget(client: ChatClient): void {
    const { cache } = client.context;
    const key = keyOf(this.#listing);
    if (cache.get(key) === this) cache.delete(key);
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  /** All entries read so far, each once. */
  entries(): Set<Entry> {
    return new Set(this.#entries.values());
  }

  /** Reads the next page. Runs that need it at the same time share one request. */
  async advance(client: ChatClient): Promise<void> {
    const key = `${this.#listing.method} ${this.#createdAt} ${this.#pages}`;
    await client.shared(key, () => this.#read(client));
  }

  async #read(client: ChatClient): Promise<void> {
    // `learn` may have added entries long before.
    if (this.#pages === 0) this.startedAt = client.context.now();
    try {
      const page = await readPage(client, this.#listing, this.#cursor, this.#pageSize);
      this.#pageSize = page.size;
      this.#addPage(client, page.body);
    } catch (error) {
      if (codeOf(error) !== "invalid_cursor" || this.#restarted) throw error;
      // The cursor of an earlier run has expired. Entries stay; reading starts again at the first page.
      this.#restarted = true;
      this.#cursors.clear();
      this.#cursor = undefined;
    }
  }

  /** Adds the items of a page that was read for another purpose. Does not change the cursor. */
  learn(client: ChatClient, items: readonly JsonObject[]): void {
    for (const item of items) {
      const entry = this.#listing.read(item);
      if (entry === undefined) continue;
      this.#listing.seen?.(client, entry);
      for (const name of this.#listing.names(entry, item)) this.#addEntry(name, entry);
    }
    // Too large for the cache: searches that use it now finish, the next one starts again.
    if (this.#entries.size > MAX_CACHED_NAMES) this.forget(client);
  }

  #addPage(client: ChatClient, body: JsonObject): void {
    this.#pages++;
    this.learn(client, objectsIn(body, this.#listing.items));
    this.#setCursor(nextCursorIn(body) ?? "");
  }

  #addEntry(name: string, entry: Entry): void {
    const { idOf, better } = this.#listing;
    const known = this.#entries.get(name);
    // The same entry again: what was known of it is out of date.
    if (known === undefined || idOf(known) === idOf(entry) || better(entry, known)) {
      this.#entries.set(name, entry);
    }
  }

  /** Only the cursor tells the end: a page may be short or empty. A repeated cursor would loop forever. */
  #setCursor(next: string): void {
    this.complete = next === "" || this.#cursors.has(next);
    this.#cursors.add(next);
    this.#cursor = next;
  }
}

function keyOf(listing: { method: string }): string {
  return `directory:${listing.method}`;
}
