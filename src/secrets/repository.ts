// SQL of stored secrets.
import { erase, get, insertInto, query, run, type Store, touch, type Transaction, update } from "../store";

export interface SecretRow {
  id: string;
  project_id: string;
  key: string;
  /** The key in lower case: lookups are case-insensitive. */
  folded_key: string;
  description: string | null;
  sealed_value: string;
  created_at: number;
  updated_at: number;
}

/** The fields of a write. */
export type WrittenSecret = Omit<SecretRow, "id" | "key" | "created_at">;
/** The fields that do not change when the value is replaced. */
export type KnownSecret = Pick<SecretRow, "id" | "key" | "description" | "created_at">;

const ALL = [
  "id",
  "project_id",
  "key",
  "folded_key",
  "description",
  "sealed_value",
  "created_at",
  "updated_at",
] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<SecretRow>(`SELECT ${COLUMNS} FROM secrets WHERE project_id = ? AND folded_key = ?`);
const KNOWN = query<KnownSecret>(
  "SELECT id, key, description, created_at FROM secrets WHERE project_id = ? AND folded_key = ?",
);
const KNOWN_BY_ID = query<KnownSecret>(
  "SELECT id, key, description, created_at FROM secrets WHERE project_id = ? AND id = ?",
);
const LIST = query<SecretRow>(
  `SELECT ${COLUMNS} FROM secrets WHERE project_id = ? ORDER BY created_at, id LIMIT ?`,
);
const add = insertInto<SecretRow>("secrets", ALL);
// Faster than one statement with RETURNING, for which SQLite creates a temporary table.
const replace = update<Omit<SecretRow, "key" | "folded_key" | "created_at">>(
  "secrets",
  ["description", "sealed_value", "updated_at"],
  ["project_id", "id"],
);
const DELETE = query("DELETE FROM secrets WHERE project_id = ? AND id = ?");

export function findSecret(
  store: Store,
  projectId: string,
  foldedKey: string,
): Promise<SecretRow | undefined> {
  return store.get(FIND, projectId, foldedKey);
}

export function listSecrets(store: Store, projectId: string, limit: number): Promise<SecretRow[]> {
  return store.all(LIST, projectId, limit);
}

/** By id or by key: people use the key, clients the id. */
export function* secretInTransaction(
  projectId: string,
  { id, foldedKey }: { id: string; foldedKey: string },
): Transaction<KnownSecret | undefined> {
  return (yield* get(KNOWN_BY_ID, projectId, id)) ?? (yield* get(KNOWN, projectId, foldedKey));
}

export function* addSecret(row: SecretRow): Transaction<void> {
  yield* add(row);
  yield* touch("secrets");
}

/**
 * Replaces the value, and the description if one is given. Returns the secret before the change; undefined if it does not
 * exist.
 */
export function* replaceSecret(row: WrittenSecret): Transaction<KnownSecret | undefined> {
  const known = yield* get(KNOWN, row.project_id, row.folded_key);
  if (known === undefined) return undefined;
  const description = row.description ?? known.description;
  yield* replace({ ...row, id: known.id, description });
  yield* touch("secrets");
  return known;
}

export function* deleteSecret(projectId: string, id: string): Transaction<void> {
  yield* erase();
  yield* run(DELETE, projectId, id);
  yield* touch("secrets");
}
