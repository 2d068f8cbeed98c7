// Rows that are written late or under a wrong clock.
import type { Migration } from "../migrate";

/**
 * Columns with values that a data key has sealed. `revocations` is left out: it also takes values that cannot be opened any
 * more.
 */
const SEALED: Readonly<Record<string, readonly string[]>> = {
  auth_providers: ["sealed_client_secret", "sealed_private_key"],
  secrets: ["sealed_value"],
  connections: ["sealed_tokens", "sealed_facts"],
  authorizations: ["sealed_address", "sealed_exchange", "sealed_grant"],
  idempotency: ["sealed_answer"],
  plugins: ["sealed_credentials"],
  models: ["sealed_api_key"],
  scheduled_runs: ["sealed_input"],
  scheduled_attempts: ["sealed_output"],
};

/** The id of the data key is the second part of a value: `v1.<id>.<rest>`. */
function namesDropped(value: string): string {
  const rest = `substr(${value}, 4)`;
  const id = `substr(${rest}, 1, instr(${rest}, '.') - 1)`;
  return `EXISTS (SELECT 1 FROM dropped_data_keys WHERE id = ${id})`;
}

// A value may be sealed long before it is stored. If its key was deleted in between, the write is refused: the value could
// never be opened.
export function lateWriteTriggers(table: string, column: string): string[] {
  const refuse = "SELECT RAISE(ABORT, 'the data key no longer exists')";
  const name = `${table}_${column}`;
  return [
    `CREATE TRIGGER ${name}_insert BEFORE INSERT ON ${table}
      WHEN ${namesDropped(`NEW.${column}`)} BEGIN ${refuse}; END`,
    `CREATE TRIGGER ${name}_update BEFORE UPDATE OF ${column} ON ${table}
      WHEN NEW.${column} IS NOT OLD.${column} AND ${namesDropped(`NEW.${column}`)} BEGIN ${refuse}; END`,
  ];
}

export const lateWrites: Migration = {
  version: 13,
  name: "late writes",
  statements: [
    // Data keys that a rotation has deleted.
    "CREATE TABLE dropped_data_keys (id TEXT PRIMARY KEY, project_id TEXT NOT NULL) STRICT",
    "CREATE INDEX dropped_data_keys_project ON dropped_data_keys (project_id)",
    // The oldest due runs of each project.
    "CREATE INDEX scheduled_runs_due_of_project ON scheduled_runs (project_id, due_at, id) WHERE status = 'pending'",
    // When the grant was received, in monotonic time of the machine.
    "ALTER TABLE connections ADD COLUMN granted_at REAL NOT NULL DEFAULT 0",
    "ALTER TABLE idempotency ADD COLUMN generation INTEGER NOT NULL DEFAULT 0",
    ...Object.entries(SEALED).flatMap(([table, columns]) =>
      columns.flatMap((column) => lateWriteTriggers(table, column)),
    ),
  ],
};
