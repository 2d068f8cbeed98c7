// Sessions at servers of revisions until 2025-11-25. One belongs to a server, a user and a credential, and is never shared
// further: what a server remembers of one user must not reach another.
import { type Alarm, type Clock, isFresh, type JsonObject, Redacted, setAlarm } from "../../base";
import type { Send } from "./send";

export interface ServerFacts {
  version: string;
  /** Revision 2026-07-28 or later: no session, and the version is in each request. */
  modern: boolean;
  capabilities: JsonObject;
  info: JsonObject;
  instructions?: string;
}

export interface ServerSession {
  facts: ServerFacts;
  /** Undefined for a server without sessions. */
  id: Redacted | undefined;
}

interface Entry {
  starting: Promise<ServerSession>;
  session?: ServerSession;
  usedAt: number;
  /** Ends the session after the requests of its user; undefined if only a user's token could. */
  ends: Send | undefined;
}

const MOST_SESSIONS = 1000;
const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;
/** For the request that ends a session. */
const END_MS = 2000;

export class ServerSessions {
  readonly #clock: Clock;
  /** In the order of their latest use. */
  readonly #entries = new Map<string, Entry>();
  #sweep: Alarm | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The session of a key. Concurrent requests start one together; `start` rejects for all of them. */
  async open(
    key: string,
    start: () => Promise<ServerSession>,
    ends: Send | undefined,
  ): Promise<ServerSession> {
    this.#removeIdle();
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.usedAt = this.#clock.monotonic();
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.starting;
    }
    const entry: Entry = { starting: start(), usedAt: this.#clock.monotonic(), ends };
    this.#entries.set(key, entry);
    this.#removeOldest();
    try {
      entry.session = await entry.starting;
      return entry.session;
    } catch (thrown) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw thrown;
    }
  }

  /** Forgets a session that its server no longer knows. */
  forget(key: string, session: ServerSession): void {
    if (this.#entries.get(key)?.session === session) this.#entries.delete(key);
  }

  /** Ends the session of a key. */
  async end(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry !== undefined) await endOf(entry);
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(endOf));
  }

  #removeOldest(): void {
    const [oldest] = this.#entries;
    if (this.#entries.size <= MOST_SESSIONS || oldest === undefined) return;
    const [key, entry] = oldest;
    this.#entries.delete(key);
    void endOf(entry);
  }

  #removeIdle(): void {
    const now = this.#clock.monotonic();
    for (const [key, entry] of this.#entries) {
      if (isFresh(entry.usedAt, IDLE_MS, now)) break;
      this.#entries.delete(key);
      void endOf(entry);
    }
    this.#sweep ??= setAlarm(SWEEP_MS, () => {
      this.#sweep = undefined;
      if (this.#entries.size > 0) this.#removeIdle();
    });
  }
}

/** Tells the server that a session is over. Servers may refuse that (405), and forget it by themselves. */
async function endOf({ session, ends }: Entry): Promise<void> {
  if (session?.id === undefined || ends === undefined) return;
  const { facts, id } = session;
  try {
    const response = await ends({
      method: "DELETE",
      headers: { "mcp-session-id": id, "mcp-protocol-version": facts.version },
      timeoutMs: END_MS,
      streams: true,
    });
    await response.body?.cancel();
  } catch {
    // Nothing depends on it.
  }
}
