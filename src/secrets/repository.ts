// SQL of stored secrets.
import { type Awaitable, get, query, run, type Store, touch, type Transaction } from "../store";

export interface SecretRow {
  id: string;
  project_id: string;
  key: string;
  /** The key in one case: look-ups do not tell cases apart. */
  folded_key: string;
  description: string | null;
  sealed_value: string;
  created_at: number;
  updated_at: number;
}

/** What stays when the value is replaced. */
export type KnownSecret = Pick<SecretRow, "id" | "key" | "description" | "created_at">;

const COLUMNS = "id, project_id, key, folded_key, description, sealed_value, created_at, updated_at";
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
const ADD = query(`INSERT INTO secrets (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
// Two statements that SQLite has at once: for RETURNING it makes a table for each row that it changes.
const REPLACE = query(
  "UPDATE secrets SET description = ?, sealed_value = ?, updated_at = ? WHERE project_id = ? AND id = ?",
);
const DELETE = query("DELETE FROM secrets WHERE project_id = ? AND id = ?");

export function findSecret(
  store: Store,
  projectId: string,
  foldedKey: string,
): Awaitable<SecretRow | undefined> {
  return store.get(FIND, projectId, foldedKey);
}

export function listSecrets(store: Store, projectId: string, limit: number): Awaitable<SecretRow[]> {
  return store.all(LIST, projectId, limit);
}

/** By id or by key: people know the key, clients have the id. */
export function* secretInTransaction(
  projectId: string,
  { id, foldedKey }: { id: string; foldedKey: string },
): Transaction<KnownSecret | undefined> {
  return (yield* get(KNOWN_BY_ID, projectId, id)) ?? (yield* get(KNOWN, projectId, foldedKey));
}

export function* addSecret(row: SecretRow): Transaction<void> {
  const { id, project_id, key, folded_key, description, sealed_value, created_at, updated_at } = row;
  yield* run(ADD, id, project_id, key, folded_key, description, sealed_value, created_at, updated_at);
  yield* touch("secrets");
}

/** Replaces the value, and the description where one is given; undefined when there is no such secret. */
export function* replaceSecret(
  row: Pick<SecretRow, "project_id" | "folded_key" | "description" | "sealed_value" | "updated_at">,
): Transaction<KnownSecret | undefined> {
  const { project_id, folded_key, description, sealed_value, updated_at } = row;
  const known = yield* get(KNOWN, project_id, folded_key);
  if (known === undefined) return undefined;
  known.description = description ?? known.description;
  yield* run(REPLACE, known.description, sealed_value, updated_at, project_id, known.id);
  yield* touch("secrets");
  return known;
}

export function* deleteSecret(projectId: string, id: string): Transaction<void> {
  yield* run(DELETE, projectId, id);
  yield* touch("secrets");
}
