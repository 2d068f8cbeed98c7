// Connections to the database.
import { type ReservedSQL, SQL } from "bun";

export interface Connection {
  readonly sql: ReservedSQL;
  readonly host: string;
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** A connection that hears notifications. */
export interface Listening {
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface Connector {
  connect(signal?: AbortSignal): Promise<Connection>;
  listen(channel: string, heard: (payload: string) => void): Promise<Listening>;
  readonly shown: string;
}

export interface ConnectorOptions {
  url: string;
  password?: () => Promise<string>;
  preparedStatements: boolean;
  applicationName: string;
}

export function connectorOf(options: ConnectorOptions): Connector {
  return {
    shown: new URL(options.url).host,
    connect: async () => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const pool = new SQL({
        url: options.url,
        max: 1,
        prepare: options.preparedStatements,
        onclose: () => resolve(),
      });
      const sql = await pool.reserve();
      return {
        sql,
        host: "",
        ended,
        close: async () => {
          resolve();
          await pool.close({ timeout: 0 });
        },
      };
    },
    listen: async (channel, heard) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const pool = new SQL({ url: options.url, max: 1, onclose: () => resolve() });
      await pool.listen(channel, heard);
      return {
        ended,
        close: async () => {
          resolve();
          await pool.close({ timeout: 0 });
        },
      };
    },
  };
}
