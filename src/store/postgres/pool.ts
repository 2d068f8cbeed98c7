// The connections that read. A turn's reads go out on one of them, pipelined; a connection serves several turns at once,
// because nothing is kept on it between two statements.
import { connectSoon } from "./connect";
import { closedError } from "./failures";
import type { Connector } from "./connector";
import { Link } from "./link";

/** A connection whose answers take longer is not used for more. */
const SILENT_MS = 500;
/** A firewall may forget idle connections after minutes. */
const KEEP_ALIVE_MS = 30_000;
const PING_MS = 1000;

export class Pool {
  readonly #connector: Connector;
  readonly #most: number;
  readonly #links = new Set<Link>();
  readonly #closing = new AbortController();
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #connecting: Promise<Link> | undefined;

  /** `most`: how many connections; one more while all are silent, because they may be lost. */
  constructor(connector: Connector, most: number) {
    this.#connector = connector;
    this.#most = most;
    this.#keepAlive = setInterval(() => {
      for (const link of this.#links)
        if (link.waiting === 0 && this.#links.size > this.#most) this.#drop(link);
      this.ping(KEEP_ALIVE_MS);
    }, KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  /** The connection with the fewest answers outstanding. Throws `LostConnection` if none can be made. */
  take(): Link | Promise<Link> {
    if (this.#closing.signal.aborted) throw closedError();
    let best: Link | undefined;
    for (const link of this.#links) {
      if (link.isLost) this.#links.delete(link);
      else if (link.silentMs <= SILENT_MS && (best === undefined || link.waiting < best.waiting)) best = link;
    }
    const { size } = this.#links;
    if (best === undefined) return size <= this.#most ? this.#connect() : leastWaiting([...this.#links]);
    if (best.waiting > 0 && size < this.#most) this.#connect().catch(() => undefined);
    return best;
  }

  /**
   * A connection that works: the last answer on it came after `since`, or it is new. Undefined while there is none, and no more
   * may be made. Throws `LostConnection` if none can be made.
   */
  takeProven(since: number): Link | Promise<Link> | undefined {
    if (this.#closing.signal.aborted) throw closedError();
    const links = [...this.#links].filter(({ isLost }) => !isLost);
    const proven = links.filter(({ answeredAt }) => answeredAt > since);
    if (proven.length > 0) return leastWaiting(proven);
    return links.length <= this.#most ? this.#connect() : undefined;
  }

  /** Finds out whether connections work that nothing is asked on: one was lost without a word, so others may be, too. */
  ping(idleMs = 0): void {
    for (const link of this.#links)
      if (link.waiting === 0 && link.idleMs >= idleMs)
        link.run("SELECT 1", [], PING_MS).catch(() => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.#keepAlive);
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined);
    await Promise.all([...this.#links].map((link) => link.close()));
  }

  #drop(link: Link): void {
    this.#links.delete(link);
    link.lose();
  }

  #connect(): Promise<Link> {
    this.#connecting ??= connectSoon(this.#connector, this.#closing.signal)
      .then((connection) => {
        const link = new Link(connection);
        this.#links.add(link);
        return link;
      })
      .finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }
}

function leastWaiting(links: readonly Link[]): Link {
  return links.reduce((best, link) => (link.waiting < best.waiting ? link : best));
}
