// A client of PostgreSQL that gives other answers than those of the server, or does something between a statement and its answer.
import type { Connector } from "../../../src/store/postgres/connector";

/** Called with each statement. `ask` sends it. Returns what the store gets. */
export type Answered = (text: string, ask: () => Promise<unknown>) => Promise<unknown>;

export function disturbed(connector: Connector, answered: Answered): Connector {
  return {
    ...connector,
    connect: async (signal) => {
      const connection = await connector.connect(signal);
      const { sql } = connection;
      const unsafe = (text: string, params: unknown[]) => ({
        execute: () => answered(text, async () => sql.unsafe(text, params).execute()),
      });
      // The writer and the reads use nothing else of it.
      const get = (of: typeof sql, name: string | symbol): unknown =>
        name === "unsafe" ? unsafe : Reflect.get(of, name);
      return { ...connection, sql: new Proxy(sql, { get }) };
    },
  };
}
