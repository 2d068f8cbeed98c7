// Makes and migrates the tables. Of many servers that start at the same time, one does it; the others wait for it.
import { configurationError } from "../../errors";
import type { Migration } from "../migrate";
import type { Connector } from "./connector";
import { type Dialect, dialectOf } from "./dialect";
import { stateOf } from "./failures";
import { Link } from "./link";
import { quoted } from "./names";
import { kindsOf, newTables, tablesOf, translated } from "./schema";

export interface Installation {
  schema: string;
  migrations: readonly Migration[];
  dialect: Dialect;
}

export function installationOf(schema: string, migrations: readonly Migration[]): Installation {
  const tables = new Set([...tablesOf(migrations), "writers"]);
  return { schema, migrations, dialect: dialectOf(schema, (name) => tables.has(name)) };
}

const HAS_MIGRATIONS =
  "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace " +
  "WHERE n.nspname = $1 AND c.relname = 'schema_migrations'";
/** A migration of a large table takes long. */
const LIMIT_MS = 3_600_000;
const ANSWER_MS = 10_000;

/** The version of the tables; 0 if there are none. */
export async function schemaVersion(
  connector: Connector,
  { schema }: Pick<Installation, "schema">,
): Promise<number> {
  return withLink(connector, (link) => versionOf(link, schema));
}

export async function versionOf(link: Link, schema: string): Promise<number> {
  // Reads the catalog as a table: a look-up of the name may be answered from what this transaction has cached before it got
  // the lock.
  const found = await link.run(HAS_MIGRATIONS, [schema], ANSWER_MS);
  if (found.rows.length === 0) return 0;
  const newest = `SELECT COALESCE(MAX(version), 0)::double precision AS version FROM ${schema}.schema_migrations`;
  return Number((await link.run(newest, [], ANSWER_MS)).rows[0]?.["version"]);
}

/**
 * Migrates to the newest version, in one transaction. `connector` is that of the role that owns the tables. Throws
 * `configuration` if the tables are newer than this program.
 */
export async function migratePostgres(connector: Connector, installation: Installation): Promise<void> {
  const { schema, migrations } = installation;
  const newest = newestOf(migrations);
  await withLink(connector, async (link) => {
    const found = await versionOf(link, schema);
    if (found === newest) return;
    refuseNewerSchema(found, newest, connector.shown);
    await link.run("BEGIN", [], ANSWER_MS);
    // The role may have limits for statements, which a migration of large tables would not keep.
    await link.run("SET LOCAL statement_timeout = 0", [], ANSWER_MS);
    // The lock of the writers too: no server writes while the tables change.
    for (const lock of ["migrations", "writer"])
      await link.run(
        `SELECT pg_advisory_xact_lock(hashtextextended('runtime ${lock} of ${schema}', 0))`,
        [],
        LIMIT_MS,
      );
    const current = await versionOf(link, schema);
    refuseNewerSchema(current, newest, connector.shown);
    const texts = current === 0 ? created(installation) : upgraded(installation, current);
    // All at once: a round trip for each of them would take long on a slow network. After a failure, all others fail too.
    const sent = texts.map((text) => link.run(text, [], LIMIT_MS));
    const failure = (await Promise.allSettled(sent)).find((one) => one.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    await link.run("COMMIT", [], LIMIT_MS);
  }).catch((error: unknown) => {
    throw stateOf(error) === "42501" ? forbidden(connector, schema, error) : error;
  });
}

function created({ schema, migrations, dialect }: Installation): string[] {
  const kinds = kindsOf(migrations).map((kind) => `(${quoted(kind)}, 0)`);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    ...ownTables(schema),
    ...newTables(migrations, dialect),
    `INSERT INTO ${schema}.generations (kind, value) VALUES ${kinds.join(", ")}`,
    `INSERT INTO ${schema}.generations (kind, value) VALUES ('schema', 0)`,
    ...migrations.map((migration) => recorded(schema, migration)),
    isAt(schema, migrations),
  ];
}

/** The tables that no migration makes. */
export function ownTables(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.schema_migrations (version double precision PRIMARY KEY, name text NOT NULL, applied_at text NOT NULL)`,
    `CREATE TABLE ${schema}.writers (instance text PRIMARY KEY, number double precision NOT NULL, at timestamptz NOT NULL)`,
  ];
}

function upgraded({ schema, migrations, dialect }: Installation, current: number): string[] {
  const missing = migrations.filter(({ version }) => version > current);
  return [
    ...missing.flatMap((migration) => [
      ...migration.statements.flatMap((sql) => translated(sql.trim(), dialect)),
      recorded(schema, migration),
    ]),
    isAt(schema, migrations),
  ];
}

function recorded(schema: string, { version, name }: Migration): string {
  const values = [version, quoted(name), quoted(new Date().toISOString())].join(", ");
  return `INSERT INTO ${schema}.schema_migrations (version, name, applied_at) VALUES (${values})`;
}

/** Servers of another version see it with their next statement, and stop. */
export function isAt(schema: string, migrations: readonly Migration[]): string {
  return `UPDATE ${schema}.generations SET value = ${newestOf(migrations)} WHERE kind = 'schema'`;
}

export function newestOf(migrations: readonly Migration[]): number {
  return Math.max(0, ...migrations.map(({ version }) => version));
}

export function refuseNewerSchema(found: number, known: number, shown: string): void {
  if (found <= known) return;
  throw configurationError(
    `The database ${shown} was written by a newer version of runtime (schema ${found}; this version supports ${known}). ` +
      "Use that version, or restore a backup made before the upgrade.",
  );
}

function forbidden(connector: Connector, schema: string, cause: unknown): Error {
  return configurationError(
    `The role of ${connector.shown} may not make or change the tables of schema ${schema}. ` +
      "Set database.migrate_url to a role that may, or run the first start with such a role (docs/scaling.md).",
    { cause },
  );
}

async function withLink<T>(connector: Connector, work: (link: Link) => Promise<T>): Promise<T> {
  const link = new Link(await connector.connect());
  try {
    return await work(link);
  } finally {
    await link.close();
  }
}
