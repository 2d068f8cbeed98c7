// Copies SQLite databases that are stopped into PostgreSQL, in one transaction: whatever interrupts it, the target is as it
// was before. Rows are streamed with COPY, so that memory does not grow with the tables.
import { alreadyExists, configurationError, conflict, unavailable } from "../../errors";
import type { Reader } from "../port";
import type { StoppedDatabase, StoppedTable } from "../stopped";
import type { Connection, Connector } from "./connector";
import { isLost, stateOf } from "./failures";
import { Link } from "./link";
import { type Installation, isAt, newestOf, ownTables, refuseNewerSchema, versionOf } from "./migrations";
import { quoted } from "./names";
import { columnsOf, linesOf } from "./rows";
import { newTables, ORDERED } from "./schema";
import { SnapshotReader } from "./snapshot";
import { copyIn } from "./streams";

export interface CopyPart extends Installation {
  /** `runtime` or `executions`, for messages. */
  name: string;
  source: StoppedDatabase;
}

export interface CopyOptions {
  /** Of the role that may make tables. */
  connector: Connector;
  parts: readonly CopyPart[];
  /** Called with the rows of the table that are sent so far. */
  progress(table: string, rows: number, total: number): void;
  /** Checks the copies before they are kept; what it throws undoes the copy. By the names of the parts. */
  verify(copies: ReadonlyMap<string, Reader>): Promise<void>;
}

export interface CopiedTable {
  /** `runtime.connections` */
  table: string;
  rows: number;
}

const ANSWER_MS = 60_000;
/** Indexes and statistics of large tables take long. */
const LIMIT_MS = 6 * 3_600_000;
/** How long the server may take no data. */
const SILENCE_MS = 120_000;
const OLDEST_SERVER = 130_000;
const TABLES_WITH_ROWS_AT_ONCE = new Set(["schema_migrations", "generations", "writers"]);

/**
 * Throws `already_exists` if the target has rows of an installation, `configuration` if it cannot take one, `conflict` if
 * another process uses it, and `unavailable` if the connection is lost. Nothing is kept of the copy then.
 */
export async function copyToPostgres({
  connector,
  parts,
  progress,
  verify,
}: CopyOptions): Promise<CopiedTable[]> {
  const connection = await connector.connect();
  const link = new Link(connection);
  const target: Target = { link, connection, shown: connector.shown };
  let isCommitting = false;
  try {
    await begin(target, parts);
    const copied: CopiedTable[] = [];
    for (const part of parts) copied.push(...(await copyPart(target, part, progress)));
    await verify(new Map(parts.map(({ name, dialect }) => [name, new SnapshotReader(link, dialect)])));
    isCommitting = true;
    const { command } = await link.run("COMMIT", [], LIMIT_MS);
    if (command !== "COMMIT") throw new Error("the database has rolled the copy back");
    return copied;
  } catch (error) {
    throw failure(target, error, isCommitting);
  } finally {
    await link.close();
  }
}

interface Target {
  link: Link;
  connection: Connection;
  shown: string;
}

async function begin({ link, shown }: Target, parts: readonly CopyPart[]): Promise<void> {
  const server = await serverOf(link);
  if (server.version < OLDEST_SERVER || server.encoding !== "UTF8")
    throw configurationError(
      `${shown} has version ${server.shown} and the encoding ${server.encoding}. Use PostgreSQL 13 or later, and a ` +
        "database with the encoding UTF8.",
    );
  const settings = [
    "statement_timeout = 0",
    "lock_timeout = '30s'",
    // If this process or its network is gone, the server ends the transaction.
    `idle_in_transaction_session_timeout = ${SILENCE_MS}`,
    ...(server.version < 140_000 ? [] : ["client_connection_check_interval = '2s'"]),
  ];
  await link.run("BEGIN", [], ANSWER_MS);
  for (const setting of settings) await link.run(`SET LOCAL ${setting}`, [], ANSWER_MS);
  // Servers that start meanwhile wait for these.
  for (const { schema } of parts)
    for (const lock of ["migrations", "writer"]) {
      const text = `SELECT pg_advisory_xact_lock(hashtextextended('runtime ${lock} of ${schema}', 0))`;
      await link.run(text, [], ANSWER_MS);
    }
}

async function serverOf(link: Link): Promise<{ version: number; shown: string; encoding: string }> {
  const text =
    "SELECT current_setting('server_version_num') AS version, current_setting('server_version') AS shown, " +
    "current_setting('server_encoding') AS encoding";
  const [row = {}] = (await link.run(text, [], ANSWER_MS)).rows;
  return {
    version: Number(row["version"]),
    shown: String(row["shown"]),
    encoding: String(row["encoding"]),
  };
}

async function copyPart(
  target: Target,
  part: CopyPart,
  progress: CopyOptions["progress"],
): Promise<CopiedTable[]> {
  const { schema, source, migrations } = part;
  const tables = source.tables();
  const later = await prepare(target, part, tables);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const name = `${part.name}.${table.name}`;
    const total = source.count(table.name);
    const rows = await copyTable(target, part, table, (sent) => progress(name, sent, total));
    if (rows !== total) throw new Error(`${rows} of ${total} rows of ${name} were copied`);
    copied.push({ table: name, rows });
  }
  progress(`${part.name}: indexes`, 0, 0);
  const { link } = target;
  for (const text of later) await link.run(text, [], LIMIT_MS);
  await link.run(`INSERT INTO ${schema}.generations (kind, value) VALUES ('schema', 0)`, [], ANSWER_MS);
  await link.run(isAt(schema, migrations), [], ANSWER_MS);
  for (const { name } of tables) await link.run(`ANALYZE ${schema}.${name}`, [], LIMIT_MS);
  return copied;
}

/** Makes tables without their indexes and triggers, or takes empty ones. Returns the statements that follow the rows. */
async function prepare(target: Target, part: CopyPart, tables: readonly StoppedTable[]): Promise<string[]> {
  const { link, shown } = target;
  const { schema, migrations, dialect } = part;
  const found = await versionOf(link, schema);
  refuseNewerSchema(found, newestOf(migrations), shown);
  if (found > 0) return emptied(target, part, tables, found);
  const named = "SELECT 1 AS one FROM pg_catalog.pg_namespace WHERE nspname = $1";
  const exists = (await link.run(named, [schema], ANSWER_MS)).rows.length > 0;
  const statements = newTables(migrations, dialect);
  const isTable = (text: string): boolean => text.startsWith("CREATE TABLE");
  for (const text of [
    ...(exists ? [] : [`CREATE SCHEMA ${schema}`]),
    ...ownTables(schema),
    ...statements.filter(isTable),
  ])
    await link.run(text, [], ANSWER_MS);
  return statements.filter((text) => !isTable(text));
}

/** Tables that were made in advance, by the role that may. */
async function emptied(
  { link, shown }: Target,
  { schema, migrations }: CopyPart,
  tables: readonly StoppedTable[],
  found: number,
): Promise<string[]> {
  for (const { name } of tables) {
    if (TABLES_WITH_ROWS_AT_ONCE.has(name)) continue;
    const { rows } = await link.run(`SELECT 1 AS one FROM ${schema}.${name} LIMIT 1`, [], ANSWER_MS);
    if (rows.length > 0)
      throw alreadyExists(
        `The schema ${schema} of ${shown} contains an installation (rows in ${name}). Compare it with the data folder: ` +
          "runtime database check. To copy again, drop the schema, or choose another one with database.schema.",
      );
  }
  const known = newestOf(migrations);
  if (found < known)
    throw conflict(
      `The tables in schema ${schema} of ${shown} have version ${found}; this program needs ${known}. They are empty: drop ` +
        "the schema and run this again.",
    );
  await link.run(`DELETE FROM ${schema}.schema_migrations`, [], ANSWER_MS);
  await link.run(`DELETE FROM ${schema}.generations`, [], ANSWER_MS);
  for (const { name } of tables)
    await link.run(`ALTER TABLE ${schema}.${name} DISABLE TRIGGER USER`, [], ANSWER_MS);
  return tables.map(({ name }) => `ALTER TABLE ${schema}.${name} ENABLE TRIGGER USER`);
}

async function copyTable(
  { link, connection }: Target,
  { schema, source }: CopyPart,
  table: StoppedTable,
  progress: (rows: number) => void,
): Promise<number> {
  const columns = columnsOf(table);
  const list = columns.map((column) => `"${column}"`).join(", ");
  const into = `${schema}.${table.name} (${list})`;
  let rows = 0;
  await copyIn(connection, into, linesOf(source, table, columns), (sent) => progress((rows = sent)));
  const { rows: counted } = await link.run(
    `SELECT COUNT(*)::double precision AS count FROM ${schema}.${table.name}`,
    [],
    LIMIT_MS,
  );
  if (ORDERED.has(table.name) && rows > 0) await link.run(continued(schema, table.name), [], ANSWER_MS);
  return Number(counted[0]?.["count"]);
}

/** New rows get numbers after those that were copied. */
function continued(schema: string, table: string): string {
  const sequence = `pg_get_serial_sequence(${quoted(`${schema}.${table}`)}, 'rowid')`;
  return `SELECT setval(${sequence}, (SELECT MAX(rowid) FROM ${schema}.${table}))::double precision AS value`;
}

function failure({ shown }: Target, error: unknown, isCommitting: boolean): unknown {
  if (isLost(error)) {
    const state = isCommitting
      ? "Whether the copy is complete is not known. Run: runtime database check"
      : "Nothing was kept of the copy. Run it again.";
    return unavailable(`The connection to ${shown} was lost. ${state}`, { cause: error });
  }
  const state = stateOf(error);
  if (state === "55P03")
    return conflict(
      `Another copy, a migration or a server is using the schema in ${shown}. Wait for it or stop it, then run this again.`,
      { cause: error },
    );
  if (state === "42501")
    return configurationError(
      `The user of ${shown} may not make the tables. Use a user that may (database.migrate_url), as docs/scaling.md says.`,
      { cause: error },
    );
  if (state === "53100")
    return unavailable(
      `The disk of ${shown} is full. Nothing was kept of the copy. Make room there, then run it again.`,
      { cause: error },
    );
  return error;
}
