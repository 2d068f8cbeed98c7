// The connections that read. A turn's reads go out on one of them, pipelined; a connection serves several turns at once,
// because nothing is kept on it between two statements.
import { closedError } from "./failures";
import type { Connector } from "./connector";
import { Link } from "./link";

export class Pool {
  readonly #connector: Connector;
  readonly #most: number;
  readonly #links = new Set<Link>();
  #connecting: Promise<Link> | undefined;
  #closed = false;

  /** `most`: how many connections at most. */
  constructor(connector: Connector, most: number) {
    this.#connector = connector;
    this.#most = most;
  }

  /** The connection with the fewest answers outstanding. Throws what the connector throws. */
  take(): Link | Promise<Link> {
    if (this.#closed) throw closedError();
    let best: Link | undefined;
    for (const link of this.#links) {
      if (link.isLost) this.#links.delete(link);
      else if (best === undefined || link.waiting < best.waiting) best = link;
    }
    if (best === undefined) return this.#connect();
    if (best.waiting > 0 && this.#links.size < this.#most) this.#connect().catch(() => undefined);
    return best;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    await Promise.all([...this.#links].map((link) => link.close()));
  }

  #connect(): Promise<Link> {
    this.#connecting ??= this.#connector
      .connect()
      .then((connection) => {
        const link = new Link(connection);
        this.#links.add(link);
        return link;
      })
      .finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }
}
