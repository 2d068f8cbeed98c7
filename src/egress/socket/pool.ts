// Connections that wait for the next request to the same server. They wait shorter than servers keep them.
import type { Connection, ConnectTo } from "./connection";

const IDLE_MS = 3000;
/** For each server. */
const MOST = 16;

export class ConnectionPool {
  readonly #idle = new Map<string, Connection[]>();

  /** The connection that waits for the shortest time. */
  take(to: ConnectTo, signal: AbortSignal): Connection | undefined {
    const waiting = this.#idle.get(keyOf(to));
    for (let found = waiting?.pop(); found !== undefined; found = waiting?.pop()) {
      if (!found.isUsable) continue;
      found.wake(signal);
      return found;
    }
    return undefined;
  }

  /** Keeps a connection whose response was read to its end, or closes it. */
  put(connection: Connection): void {
    const { to, isUsable } = connection;
    const key = keyOf(to);
    const waiting = this.#idle.get(key) ?? [];
    // One with a certificate of its own is used once: the certificate may be revoked.
    if (!isUsable || waiting.length >= MOST || to.trust?.cert !== undefined) return connection.close();
    this.#idle.set(key, waiting);
    connection.rest();
    waiting.push(connection);
    setTimeout(() => this.#end(key, connection), IDLE_MS).unref();
  }

  #end(key: string, connection: Connection): void {
    const waiting = this.#idle.get(key) ?? [];
    const at = waiting.indexOf(connection);
    if (at < 0) return;
    waiting.splice(at, 1);
    if (waiting.length === 0) this.#idle.delete(key);
    connection.close();
  }
}

/** Connections differ by the name that was checked and by whom they trust. */
function keyOf({ address, port, trust }: ConnectTo): string {
  return JSON.stringify([address, port, trust?.name, trust?.ca, trust === undefined]);
}
