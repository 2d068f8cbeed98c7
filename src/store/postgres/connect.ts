// Connects while the database may be failing over. An attempt that hangs, because its packets are lost or a balancer still
// leads to a dead server, must not delay one that would succeed now.
import type { Connection, Connector } from "./connector";
import { LostConnection } from "./failures";

/** How long an attempt may take before another one starts next to it. */
const PATIENCE_MS = 1500;
const MOST = 3;

/** Throws `LostConnection`, whose cause is the connector's error, when all attempts or the first have failed. */
export async function connectSoon(connector: Connector, signal: AbortSignal): Promise<Connection> {
  const stop = new AbortController();
  const done = Promise.withResolvers<Connection>();
  let pending = 0;
  let isDone = false;
  const attempt = async (): Promise<void> => {
    const isFirst = pending++ === 0;
    try {
      const connection = await connector.connect(AbortSignal.any([stop.signal, signal]));
      if (isDone) return await connection.close();
      isDone = true;
      done.resolve(connection);
    } catch (error) {
      // If the first one has taken all its time, the caller decides whether to go on.
      if (--pending > 0 && !isFirst) return;
      isDone = true;
      done.reject(error);
    }
  };
  const timer = setInterval(() => {
    if (pending < MOST) void attempt();
  }, PATIENCE_MS);
  try {
    void attempt();
    return await done.promise;
  } catch (error) {
    throw new LostConnection(error);
  } finally {
    clearInterval(timer);
    stop.abort();
  }
}
