// Connections to PostgreSQL. Each has a client of its own with exactly one connection, so that it is never replaced by
// another one: who holds it knows that its locks, its transaction and its LISTEN are those of one session.
import type { ReservedSQL, SQL } from "bun";
import { type DatabaseAddress, type DatabaseHost, parseDatabaseUrl, shownDatabase } from "../../config";
import { hostTlsOf } from "./address";
import { connectError, type HostFault, hostFault, NotAccepted } from "./connect-errors";
import { staggered } from "./staggered";

export interface Connection {
  /** Reserved: exactly one connection to one server; it is never replaced by another one. */
  readonly sql: ReservedSQL;
  /** `db1:5432`, for the log. */
  readonly host: string;
  /** Fulfilled when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Calls `heard` for each notification on a channel, and when the server may have sent some that were not heard. */
  listen(channel: string, heard: () => void): Promise<void>;
  /** Ends it at once; statements in progress reject. */
  close(): Promise<void>;
}

export interface Connector {
  /**
   * Connects to the first host that accepts writes, or with `target_session_attrs=any` to the first that answers. Each
   * host has `connect_timeout` seconds. Throws `unavailable` if none does in time, `configuration` for wrong credentials, an
   * unknown database or bad certificates, and the reason of `signal` if it is aborted. Messages and causes never contain
   * the password.
   */
  connect(signal?: AbortSignal): Promise<Connection>;
  /** For messages: hosts, database and user; never a password. */
  readonly shown: string;
}

export interface ConnectorOptions {
  url: string;
  /** Asked at each connect, if the URL has no password. */
  password?: () => Promise<string>;
  /** False for poolers that do not know named statements. */
  preparedStatements: boolean;
  applicationName: string;
}

/** Throws `configuration` for a URL that is not valid. */
export function connectorOf(options: ConnectorOptions): Connector {
  const address = parseDatabaseUrl(options.url);
  return {
    shown: shownDatabase(address),
    connect: (signal) => connect(address, options, signal),
  };
}

/** How long a host may take before the next one is tried at the same time. */
const PATIENCE_MS = 1000;

async function connect(
  address: DatabaseAddress,
  options: ConnectorOptions,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  signal?.throwIfAborted();
  const password = address.password?.reveal() ?? (await options.password?.()) ?? "";
  const faults: HostFault[] = [];
  const stop = new AbortController();
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const attempts = address.hosts.map(
    (host) => () => connectTo(host, address, { ...options, secret: password }, stopped),
  );
  const failed = (error: unknown, index: number): void => {
    signal?.throwIfAborted();
    const host = address.hosts[index];
    if (host !== undefined) faults[index] = hostFault(host, address, error, password);
  };
  try {
    const connection = await staggered(attempts, PATIENCE_MS, failed);
    if (connection !== undefined) return connection;
    throw connectError(faults);
  } finally {
    stop.abort();
  }
}

async function connectTo(
  host: DatabaseHost,
  address: DatabaseAddress,
  options: ConnectorOptions & { secret: string },
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const ended = Promise.withResolvers<void>();
  const given = await optionsOf(host, address, options);
  // The client sends it to the server: poolers refuse that, and it could change what statements mean.
  delete process.env["PGOPTIONS"];
  // Not imported: the module of the engine takes milliseconds to load, also where SQLite is used.
  const sql = new Bun.SQL({
    ...given,
    onclose: () => {
      ended.resolve();
      // Nothing waits for another connection; this frees the client.
      void end();
    },
  });
  const end = async (): Promise<void> => {
    await sql.close({ timeout: 0 });
    ended.resolve();
  };
  let isLate = false;
  const stop = (): void => void end();
  // The client's own limit ends with the login; a pooler may accept a login and then answer nothing. The client tries
  // again by itself if a server closes the connection during the login.
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, address.connectTimeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const reserved = await sql.reserve();
    await refuseReadOnly(reserved, address.target);
    signal?.throwIfAborted();
    const listen = async (channel: string, heard: () => void): Promise<void> => {
      await sql.listen(channel, heard, heard);
    };
    return { sql: reserved, host: host.shown, ended: ended.promise, listen, close: end };
  } catch (error) {
    await end();
    throw isLate ? new NotAccepted("timeout") : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

async function optionsOf(
  host: DatabaseHost,
  address: DatabaseAddress,
  { secret, preparedStatements, applicationName }: ConnectorOptions & { secret: string },
): Promise<SQL.PostgresOrMySQLOptions> {
  const { mode, ca, client } = await hostTlsOf(host, address.tls);
  const isVerified = mode === "verify-ca" || mode === "verify-full";
  const tls =
    isVerified || client !== undefined
      ? { ...(ca === undefined ? {} : { ca }), ...client, rejectUnauthorized: isVerified }
      : mode;
  return {
    adapter: "postgres",
    // A URL, because else the client reads one from DATABASE_URL. Everything is set, so that no PG… variable is used.
    url: `postgres://localhost?sslmode=${mode}`,
    ...(host.socket === undefined ? { hostname: host.host } : { path: host.socket }),
    port: host.port,
    database: address.database,
    username: address.user,
    password: secret,
    tls,
    channelBinding:
      mode === "disable" && address.tls.channelBinding === "prefer" ? "disable" : address.tls.channelBinding,
    prepare: preparedStatements,
    max: 1,
    idleTimeout: 0,
    maxLifetime: 0,
    connectionTimeout: address.connectTimeoutMs / 1000,
    connection: { application_name: applicationName },
  };
}

const STATE =
  "SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') = 'on' AS read_only";

/** As libpq does for `target_session_attrs`. */
async function refuseReadOnly(sql: ReservedSQL, target: DatabaseAddress["target"]): Promise<void> {
  if (target === "any") return;
  // The simple protocol works through every pooler.
  const [state] = await sql.unsafe<{ standby: boolean; read_only: boolean }[]>(STATE).simple();
  if (state?.standby !== false) throw new NotAccepted("standby");
  if (target === "read-write" && state.read_only) throw new NotAccepted("read_only");
}
