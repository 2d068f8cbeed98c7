// What a PostgreSQL server says about itself, about this user and about the tables. Changes nothing.
import type { Connection, Connector } from "./connector";
import { Link } from "./link";
import { versionOf } from "./migrations";

const ANSWER_MS = 10_000;
const NOTIFICATION_MS = 2000;
const TRIES = 5;

export interface ServerFacts {
  /** `db1:5432` */
  host: string;
  /** `150005` */
  version: number;
  /** `15.5 (Debian 15.5-0+deb12u1)` */
  shownVersion: string;
  encoding: string;
  /** Connections that the server allows in all. */
  mostConnections: number;
  tls: boolean;
  isSuperuser: boolean;
  /** Of the schemas asked for, in their order; 0: no tables. Empty if they may not be used. */
  versions: number[];
  /** Tables in the schemas of which the user may not do everything that a server does. */
  forbiddenTables: number;
  /** May create tables in one of the schemas, or new schemas. */
  mayCreate: boolean;
  connectMs: number;
  /** Of the fastest answer. */
  answerMs: number;
  /** How far its clock is ahead of this one. */
  aheadMs: number;
}

const SERVER = `SELECT current_setting('server_version_num')::double precision AS version,
  current_setting('server_version') AS shown, current_setting('server_encoding') AS encoding,
  current_setting('max_connections')::double precision AS most,
  COALESCE((SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS tls,
  (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS superuser,
  has_database_privilege(current_database(), 'CREATE') AS creates_schemas`;
const CREATES_TABLES = `SELECT COALESCE(bool_or(has_schema_privilege(oid, 'CREATE')), false) AS creates
  FROM pg_catalog.pg_namespace WHERE nspname = $1`;
const FORBIDDEN = `SELECT COUNT(*)::double precision AS count
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT (has_schema_privilege(n.oid, 'USAGE')
    AND has_table_privilege(c.oid, 'SELECT') AND (c.relname = 'schema_migrations' OR (has_table_privilege(c.oid, 'INSERT')
    AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))))`;
const TIME = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::double precision AS time";

/** Throws what the connector throws. */
export async function serverFacts(connector: Connector, schemas: readonly string[]): Promise<ServerFacts> {
  const started = performance.now();
  const connection = await connector.connect();
  const connectMs = performance.now() - started;
  const link = new Link(connection);
  try {
    const [server = {}] = (await link.run(SERVER, [], ANSWER_MS)).rows;
    const versions: number[] = [];
    let forbiddenTables = 0;
    let mayCreate = server["creates_schemas"] === 1;
    for (const schema of schemas) {
      const [row] = (await link.run(CREATES_TABLES, [schema], ANSWER_MS)).rows;
      mayCreate ||= row?.["creates"] === 1;
      forbiddenTables += Number((await link.run(FORBIDDEN, [schema], ANSWER_MS)).rows[0]?.["count"]);
    }
    if (forbiddenTables === 0) for (const schema of schemas) versions.push(await versionOf(link, schema));
    return {
      host: connection.host,
      version: Number(server["version"]),
      shownVersion: String(server["shown"]),
      encoding: String(server["encoding"]),
      mostConnections: Number(server["most"]),
      tls: server["tls"] === 1,
      isSuperuser: server["superuser"] === 1,
      versions,
      forbiddenTables,
      mayCreate,
      connectMs,
      ...(await timesOf(link)),
    };
  } finally {
    await link.close();
  }
}

async function timesOf(link: Link): Promise<Pick<ServerFacts, "answerMs" | "aheadMs">> {
  let best = { answerMs: Infinity, aheadMs: 0 };
  for (let tries = 0; tries < TRIES; tries++) {
    const [sent, before] = [Date.now(), performance.now()];
    const { rows } = await link.run(TIME, [], ANSWER_MS);
    const answerMs = performance.now() - before;
    // The server has read its clock about half way.
    const aheadMs = Number(rows[0]?.["time"]) - (sent + answerMs / 2);
    if (answerMs < best.answerMs) best = { answerMs, aheadMs };
  }
  return best;
}

/** Whether a notification that is sent by one connection arrives at the other. */
export async function hearsNotifications(listener: Connector, notifier: Connector): Promise<boolean> {
  const channel = `runtime_check_${crypto.randomUUID().replaceAll("-", "")}`;
  const opened: Connection[] = [];
  try {
    const listening = await listener.connect();
    opened.push(listening);
    const notifying = await notifier.connect();
    opened.push(notifying);
    const heard = Promise.withResolvers<boolean>();
    // It is also told when it begins to listen.
    let begun = false;
    await listening.listen(channel, () => begun && heard.resolve(true));
    begun = true;
    await notifying.sql.unsafe("SELECT pg_notify($1, '')", [channel]);
    return await Promise.race([heard.promise, Bun.sleep(NOTIFICATION_MS).then(() => false)]);
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

export interface TableFacts {
  /** As estimated by the server; -1: unknown. */
  rows: number;
  /** With its indexes. */
  bytes: number;
}

const TABLES = `SELECT c.relname AS name, c.reltuples::double precision AS rows,
  pg_total_relation_size(c.oid)::double precision AS bytes
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') ORDER BY c.relname`;

/** Of the tables in a schema, by name. */
export async function tableFacts(connector: Connector, schema: string): Promise<Record<string, TableFacts>> {
  const link = new Link(await connector.connect());
  try {
    const { rows } = await link.run(TABLES, [schema], ANSWER_MS);
    return Object.fromEntries(
      rows.map((row) => [String(row["name"]), { rows: Number(row["rows"]), bytes: Number(row["bytes"]) }]),
    );
  } finally {
    await link.close();
  }
}
