// Forward-only migrations. A database of a newer version is refused before anything changes it.
import type { Database } from "bun:sqlite";
import { configurationError } from "../errors";

export interface Migration {
  /** 1, 2, 3 …: the schema version after this migration. */
  version: number;
  name: string;
  statements: readonly string[];
  /** Runs after the statements, in the same transaction: what SQL alone cannot do. */
  apply?(database: Database): void;
}

interface Applied {
  version: number;
}

const TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT`;
const HAS_TABLE = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'";
const NEWEST = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";

/** A database must be migrated, and the caller wants to do something before. */
export class PendingMigration extends Error {}

/**
 * Throws `configuration` when the schema is newer than the newest known migration, and `PendingMigration` when it is older and
 * may not be migrated.
 */
export function refuseOther(
  database: Database,
  migrations: readonly Migration[],
  { mayMigrate }: { mayMigrate: boolean },
): void {
  const found = versionOf(database);
  const known = newestOf(migrations);
  // One without tables is being created.
  if (!mayMigrate && found > 0 && found < known) throw new PendingMigration(database.filename);
  if (found <= known) return;
  throw configurationError(
    `${database.filename} was written by a newer version of runtime (schema ${found}; this version supports ${known}). ` +
      "Use that version, or restore a backup made before the upgrade.",
  );
}

/**
 * Migrates a database to the newest version, in one transaction. `initialize` runs first in a new database. Safe if two
 * processes start at the same time.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[],
  { initialize }: { initialize?: (database: Database) => void } = {},
): void {
  if (versionOf(database) >= newestOf(migrations)) return;
  database
    .transaction(() => {
      database.run(TABLE);
      const current = versionOf(database);
      if (current === 0) initialize?.(database);
      for (const migration of migrations) {
        if (migration.version <= current) continue;
        for (const statement of migration.statements) database.run(statement);
        migration.apply?.(database);
        database
          .query("INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)")
          .run(migration.version, migration.name, new Date().toISOString());
      }
    })
    .immediate();
}

/** The newest migration of a database; 0 for one without tables. */
export function versionOf(database: Database): number {
  if (database.query(HAS_TABLE).get() === null) return 0;
  return database.query<Applied, []>(NEWEST).get()?.version ?? 0;
}

function newestOf(migrations: readonly Migration[]): number {
  return Math.max(0, ...migrations.map((migration) => migration.version));
}
