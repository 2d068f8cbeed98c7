// What a listing of the workspace has told so far: names, and where to go on. It serves all runs of a connection, so
// that no page is read twice while it is young, whoever asks for which name.
import type { JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { LARGE_PAGE, REMEMBER_MS, REMEMBERED_NAMES } from "../limits";
import { codeOf } from "../upstream/failure";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn } from "../../upstream/json";
import { type Listing, readPage } from "./listing";

export class Directory<Entry> {
  /** When its first page was read. */
  startedAt: number;
  /** Whether the listing has come to its end. */
  complete = false;
  readonly #listing: Listing<Entry>;
  readonly #madeAt: number;
  readonly #entries = new Map<string, Entry>();
  readonly #cursors = new Set<string>();
  #cursor: string | undefined;
  #pages = 0;
  #restarted = false;
  #pageSize = LARGE_PAGE;

  /** The connection's directory of this listing, begun anew when there is none or it is too old. */
  static of<Entry>(client: ChatClient, listing: Listing<Entry>): Directory<Entry> {
    const { cache, now } = client.context;
    const known = cache.get<Directory<Entry>>(keyOf(listing));
    if (known !== undefined) return known;
    const directory = new Directory(listing, now());
    cache.set(keyOf(listing), directory, REMEMBER_MS);
    return directory;
  }

  private constructor(listing: Listing<Entry>, now: number) {
    this.#listing = listing;
    this.#madeAt = now;
    this.startedAt = now;
  }

  /** The next to ask begins anew. Does nothing when somebody has begun anew already. */
  forget(client: ChatClient): void {
    const { cache } = client.context;
    const key = keyOf(this.#listing);
    if (cache.get(key) === this) cache.delete(key);
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  /** Everything known so far, each once. */
  entries(): Set<Entry> {
    return new Set(this.#entries.values());
  }

  /** Reads the next page. Runs that ask for it at the same time share one request. */
  async advance(client: ChatClient): Promise<void> {
    const key = `${this.#listing.method} ${this.#madeAt} ${this.#pages}`;
    await client.shared(key, () => this.#read(client));
  }

  async #read(client: ChatClient): Promise<void> {
    // It may have learned from other pages long before.
    if (this.#pages === 0) this.startedAt = client.context.now();
    try {
      const page = await readPage(client, this.#listing, this.#cursor, this.#pageSize);
      this.#pageSize = page.size;
      this.#fold(client, page.body);
    } catch (error) {
      if (codeOf(error) !== "invalid_cursor" || this.#restarted) throw error;
      // The place where an earlier run stopped is gone. What was read stays; the reading begins at the first page.
      this.#restarted = true;
      this.#cursors.clear();
      this.#cursor = undefined;
    }
  }

  /** Remembers the items of a page that was read for something else: it says nothing about where to go on. */
  learn(client: ChatClient, items: readonly JsonObject[]): void {
    for (const item of items) {
      const entry = this.#listing.read(item);
      if (entry === undefined) continue;
      this.#listing.seen?.(client, entry);
      for (const name of this.#listing.names(entry, item)) this.#remember(name, entry);
    }
    // Too large to be kept: those who walk it now finish, the next one begins anew.
    if (this.#entries.size > REMEMBERED_NAMES) this.forget(client);
  }

  #fold(client: ChatClient, body: JsonObject): void {
    this.#pages++;
    this.learn(client, objectsIn(body, this.#listing.items));
    this.#turn(nextCursorIn(body) ?? "");
  }

  #remember(name: string, entry: Entry): void {
    const { idOf, better } = this.#listing;
    const known = this.#entries.get(name);
    // The same one is told anew: what was known of it is out of date.
    if (known === undefined || idOf(known) === idOf(entry) || better(entry, known)) {
      this.#entries.set(name, entry);
    }
  }

  /** Only the cursor ends a listing: a page may be short or empty. One that comes back would never end. */
  #turn(next: string): void {
    this.complete = next === "" || this.#cursors.has(next);
    this.#cursors.add(next);
    this.#cursor = next;
  }
}

function keyOf(listing: { method: string }): string {
  return `directory:${listing.method}`;
}
