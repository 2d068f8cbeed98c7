// The part of a workspace listing that has been read: names, and the position of the next page. All runs of a connection
// share it, in all processes, so that no page is read twice while it is fresh, and a long scan ends over several runs.
import { isObject, type Json, type JsonObject, type MemoryKind, type Remembered } from "../../../src/tools";
import { numberIn, objectsIn, textIn } from "../../upstream/json";
import type { ChatClient } from "../client";
import { CACHE_ABSENCE_MS, CACHE_MS, LARGE_PAGE, MAX_CACHED_NAMES } from "../limits";
import { nextCursorIn } from "../upstream/exchange";
import { codeOf } from "../upstream/failure";
import { type Listing, readPage } from "./listing";
import { type Position, positionAfter, segmentsOf } from "./segments";

/** What one user may see: never shared with others. */
const NAMES: MemoryKind = { name: "names", of: "connection" };

const START: Position = { segment: 0, cursor: undefined };

/** A page as it is remembered: `after` is the position that follows it, null after the last page. */
interface Part {
  scan: string;
  startedAt: number;
  after: Position | null;
  size: number;
  entries: readonly Json[];
}

export class Directory<Entry extends object> {
  readonly #listing: Listing<Entry>;
  readonly #entries = new Map<string, Entry>();
  /** Of the scan before this one, until this one has read its last page. */
  #earlier: ReadonlyMap<string, Entry> = new Map();
  #scan: string = crypto.randomUUID();
  #startedAt: number;
  /** Scans that other processes began before are out of date. */
  #notBefore = 0;
  /** Whether other processes may continue this scan. */
  #isShared = false;
  /** When the last page was read; undefined before. */
  #completedAt: number | undefined;
  readonly #cursors = new Set<string>();
  #position = START;
  #pages = 0;
  #restarted = false;
  #pageSize = LARGE_PAGE;

  /** The connection's directory of this listing, with what other processes have read of it. */
  static async of<Entry extends object>(
    client: ChatClient,
    listing: Listing<Entry>,
  ): Promise<Directory<Entry>> {
    const { cache } = client.context;
    const known = cache.get<Directory<Entry>>(keyOf(listing));
    if (known !== undefined) return known;
    return client.shared(`open ${keyOf(listing)}`, async () => {
      const directory = new Directory(listing, client.context.now());
      cache.set(keyOf(listing), directory, CACHE_MS);
      await directory.#takeOver(client);
      return directory;
    });
  }

  private constructor(listing: Listing<Entry>, now: number) {
    this.#listing = listing;
    this.#startedAt = now;
  }

  get complete(): boolean {
    return this.#completedAt !== undefined;
  }

  /**
   * Whether a name that was not found does not exist. The time counts from the last page: a long scan would never be
   * believed otherwise, and it is believed for as long as it took.
   */
  isBelieved(client: ChatClient): boolean {
    const at = this.#completedAt;
    if (at === undefined) return false;
    const believedMs = Math.min(Math.max(CACHE_ABSENCE_MS, at - this.#startedAt), CACHE_MS);
    return at >= client.startedAt || client.context.now() - at < believedMs;
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#earlier.get(name);
  }

  /** All entries, each once. */
  entries(): Set<Entry> {
    return new Set([...this.#earlier.values(), ...this.#entries.values()]);
  }

  /** Forgets an entry that turned out to be out of date, and lets the listing be read again. */
  drop(client: ChatClient, entry: Entry): void {
    this.startAgain(client);
    this.#earlier = new Map(
      [...this.#earlier].filter(([, known]) => this.#listing.idOf(known) !== this.#listing.idOf(entry)),
    );
  }

  /** Lets the listing be read again from its first page. The names stay until that has ended. */
  startAgain(client: ChatClient): void {
    this.#notBefore = client.context.now();
    this.#earlier = new Map([...this.#earlier, ...this.#entries]);
    this.#entries.clear();
    this.#cursors.clear();
    this.#scan = crypto.randomUUID();
    this.#completedAt = undefined;
    this.#isShared = false;
    this.#position = START;
    this.#pages = 0;
    this.#restarted = false;
  }

  /** Reads the next page, or takes over what another process has read. Runs that need it share one request. */
  async advance(client: ChatClient): Promise<void> {
    const key = `${keyOf(this.#listing)} ${this.#scan} ${this.#pages}`;
    await client.shared(key, async () => {
      if (!(await this.#takeOver(client))) await this.#read(client);
    });
    // It lives as long as it progresses.
    client.context.cache.set(keyOf(this.#listing), this, CACHE_MS);
  }

  /** Adds the items of a page that was read for another purpose. Does not change the position. */
  learn(client: ChatClient, items: readonly JsonObject[]): Entry[] {
    const entries = items.map((item) => this.#listing.read(item)).filter((entry) => entry !== undefined);
    for (const entry of entries) client.hasRead(entry);
    this.#add(client, entries);
    return entries;
  }

  async #read(client: ChatClient): Promise<void> {
    const { method, sources, items } = this.#listing;
    const segments = await segmentsOf(client, sources);
    if (this.#pages === 0) this.#startedAt = client.context.now();
    const { segment, cursor } = this.#position;
    try {
      const source = { method, params: segments[segment] ?? {} };
      const page = await readPage(client, source, cursor, this.#pageSize);
      this.#pageSize = page.size;
      this.#pages++;
      const entries = this.learn(client, objectsIn(page.body, items));
      this.#moveOn(nextCursorIn(page.body), segments.length, client.context.now());
      await this.#remember(client, entries);
    } catch (error) {
      if (codeOf(error) !== "invalid_cursor" || this.#restarted) throw error;
      // The cursor of an earlier run has expired. Entries stay; reading starts again at the first page.
      this.#restarted = true;
      this.#cursors.clear();
      this.#position = { segment, cursor: undefined };
    }
  }

  /** Only the cursor tells the end: a page may be short or empty. A repeated cursor would loop forever. */
  #moveOn(next: string | undefined, segments: number, now: number): void {
    const key = `${this.#position.segment} ${next}`;
    const repeated = next !== undefined && this.#cursors.has(key);
    this.#cursors.add(key);
    this.#goTo(positionAfter(this.#position, repeated ? undefined : next), segments, now);
  }

  #goTo(position: Position, segments: number, now: number): void {
    this.#position = position;
    if (position.segment < segments) return;
    this.#completedAt = now;
    this.#earlier = new Map();
  }

  #add(client: ChatClient, entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#listing.seen?.(client, entry);
      for (const name of this.#listing.names(entry)) this.#addEntry(name, entry);
    }
    // Too large for the cache: searches that use it now finish, the next one starts again.
    if (this.#entries.size > MAX_CACHED_NAMES) client.context.cache.delete(keyOf(this.#listing));
  }

  #addEntry(name: string, entry: Entry): void {
    const { idOf, better } = this.#listing;
    const known = this.#entries.get(name);
    // The same entry again: what was known of it is out of date.
    if (known === undefined || idOf(known) === idOf(entry) || better(entry, known)) {
      this.#entries.set(name, entry);
    }
  }

  async #remember(client: ChatClient, entries: readonly Entry[]): Promise<void> {
    const part = {
      scan: this.#scan,
      startedAt: this.#startedAt,
      after: this.complete ? null : { ...this.#position, cursor: this.#position.cursor ?? null },
      size: this.#pageSize,
      entries: entries.map((entry) => this.#listing.packed(entry)),
    };
    const isFirst = this.#pages === 1;
    if (!isFirst && !this.#isShared) return;
    // Of several processes that begin at once, one shares its scan.
    const since = isFirst ? this.#notBefore : undefined;
    const { memory } = client.context;
    this.#isShared = await memory.write(NAMES, keyOf(this.#listing), this.#pages - 1, part, CACHE_MS, since);
  }

  /** Adds what other processes have read of the same scan, or of one that is ahead. False if there is nothing. */
  async #takeOver(client: ChatClient): Promise<boolean> {
    if (this.complete) return false;
    const remembered = await client.context.memory.read(NAMES, keyOf(this.#listing));
    const parts = partsOfFirstScan(remembered, client.context.now());
    const [first] = parts;
    const last = parts.at(-1);
    if (first === undefined || last === undefined) return false;
    const isOwn = first.scan === this.#scan;
    if (isOwn ? parts.length <= this.#pages : !this.#mayContinue(first, parts.length)) return false;
    const added = isOwn ? parts.slice(this.#pages) : parts;
    for (const { entries } of added)
      this.#add(
        client,
        entries.flatMap((fields) => this.#unpacked(fields)),
      );
    this.#isShared = true;
    this.#scan = first.scan;
    this.#startedAt = first.startedAt;
    this.#pages = parts.length;
    this.#pageSize = last.size;
    if (last.after === null) {
      this.#completedAt = remembered[parts.length - 1]?.storedAt;
      this.#earlier = new Map();
    } else {
      this.#position = last.after;
    }
    return true;
  }

  /** Whether to go on with the scan of another process, which has read so many pages. */
  #mayContinue({ startedAt }: Part, pages: number): boolean {
    return startedAt >= this.#notBefore && pages >= this.#pages;
  }

  #unpacked(fields: Json): Entry | [] {
    return (Array.isArray(fields) ? this.#listing.unpacked(fields) : undefined) ?? [];
  }
}

/** The parts of one scan from its first page on. A later scan replaces them one by one. */
function partsOfFirstScan(remembered: readonly Remembered[], now: number): Part[] {
  const parts: Part[] = [];
  for (const { part, value, storedAt } of remembered) {
    const read = partOf(value);
    if (read === undefined || part !== parts.length || storedAt > now) break;
    if (parts[0] !== undefined && parts[0].scan !== read.scan) break;
    parts.push(read);
    if (read.after === null) break;
  }
  return parts;
}

function partOf(value: Json): Part | undefined {
  if (!isObject(value)) return undefined;
  const { after, entries } = value;
  if (!Array.isArray(entries) || (after !== null && !isObject(after))) return undefined;
  return {
    scan: textIn(value, "scan") ?? "",
    startedAt: numberIn(value, "startedAt"),
    after: after === null ? null : { segment: numberIn(after, "segment"), cursor: textIn(after, "cursor") },
    size: numberIn(value, "size"),
    entries,
  };
}

function keyOf(listing: { method: string }): string {
  return `directory:${listing.method}`;
}
