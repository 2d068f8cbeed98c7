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
const UPDATE = query(
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
  idOrFoldedKey: { id?: string; foldedKey: string },
): Transaction<KnownSecret | undefined> {
  const byId =
    idOrFoldedKey.id === undefined ? undefined : yield* get(KNOWN_BY_ID, projectId, idOrFoldedKey.id);
  return byId ?? (yield* get(KNOWN, projectId, idOrFoldedKey.foldedKey));
}

export function* addSecret(row: SecretRow): Transaction<void> {
  const { id, project_id, key, folded_key, description, sealed_value, created_at, updated_at } = row;
  yield* run(ADD, id, project_id, key, folded_key, description, sealed_value, created_at, updated_at);
  yield* touch("secrets");
}

export function* updateSecret(row: SecretRow): Transaction<void> {
  yield* run(UPDATE, row.description, row.sealed_value, row.updated_at, row.project_id, row.id);
  yield* touch("secrets");
}

export function* deleteSecret(projectId: string, id: string): Transaction<void> {
  yield* run(DELETE, projectId, id);
  yield* touch("secrets");
}
