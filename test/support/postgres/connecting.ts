// Connects to servers for a test: the session that a URL leads to, or the error.
import { expect } from "bun:test";
import { RuntimeError } from "../../../src/errors";
import { type Connection, connectorOf, type ConnectorOptions } from "../../../src/store/postgres/connector";

export const OPTIONS = { preparedStatements: true, applicationName: "runtime test" };

export async function connected(url: string, options: Partial<ConnectorOptions> = {}): Promise<Connection> {
  return connectorOf({ ...OPTIONS, url, ...options }).connect();
}

export interface Session {
  name: string;
  application: string;
  tls: boolean | null;
  /** `port` of the server; null on a socket. */
  port: number | null;
}

const SESSION =
  "SELECT current_user::text AS name, current_setting('application_name') AS application, " +
  "(SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls, inet_server_port() AS port";

export async function sessionOf(
  url: string,
  options: Partial<ConnectorOptions> = {},
): Promise<Session | undefined> {
  const connection = await connected(url, options);
  try {
    const [session] = await connection.sql.unsafe<Session[]>(SESSION);
    return session;
  } finally {
    await connection.close();
  }
}

/** The error of a connect, which does not contain the password anywhere. */
export async function refusal(
  url: string,
  options: Partial<ConnectorOptions> = {},
  password = "wrong-password",
): Promise<RuntimeError> {
  try {
    await (await connected(url, options)).close();
  } catch (error) {
    expect(Bun.inspect(error)).not.toContain(password);
    if (error instanceof RuntimeError) return error;
    throw error;
  }
  throw new Error("it connected");
}

/** Accepts connections and never answers. */
export function silentServer(): { port: number } & Disposable {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
}
