// SQL of data keys, and of the row that stores the id of the current root key.
import {
  all,
  type ClosedDatabase,
  erase,
  insertInto,
  query,
  type Reader,
  run,
  type Transaction,
} from "../store";

export interface DataKeyRow {
  id: string;
  root_key_id: string;
  wrapped: string;
}

export const FIND_ROOT = query<{ value: string }>("SELECT value FROM facts WHERE name = 'root_key_canary'");
/** The id of the current root key. In databases of the first versions more text follows it. */
export function rootIdOf(fact: { value: string } | undefined): string | undefined {
  return fact?.value.split(".")[0];
}
/** The id of the current root key, as stored in the database. */
export async function namedRoot(store: Reader): Promise<string | undefined> {
  return rootIdOf(await store.get(FIND_ROOT));
}
/** The id of the root key that opens a copy of the database. */
export function namedRootIn(copy: ClosedDatabase): string | undefined {
  return rootIdOf(copy.all(FIND_ROOT)[0]);
}

const KEY_IDS = query<{ id: string }>("SELECT id FROM data_keys ORDER BY id");

/** The ids of the data keys in a copy of the database. */
export function dataKeysIn(copy: ClosedDatabase): string[] {
  return copy.all(KEY_IDS).map(({ id }) => id);
}

export const SET_ROOT = query(
  "INSERT INTO facts (name, value) VALUES ('root_key_canary', ?) " +
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);
interface WholeKeyRow extends ProjectKeyRow {
  created_at: number;
  retired_at: number | null;
}
export const addKey = insertInto<WholeKeyRow>("data_keys", [
  "id",
  "project_id",
  "root_key_id",
  "wrapped",
  "created_at",
  "retired_at",
]);

/**
 * Rewrites all data keys; `change` returns undefined for a key that is to be deleted. The whole table is cleared, which
 * overwrites its pages: deleting single rows could leave copies of them, and the root key opens those (see `Erasure`).
 */
export function* rewriteKeys(
  change: (row: ProjectKeyRow & { retired_at: number | null }) => ProjectKeyRow | undefined,
): Transaction<void> {
  const rows = yield* all(WHOLE_KEYS);
  yield* erase();
  yield* run(CLEAR_KEYS);
  for (const row of rows) {
    const changed = change(row);
    if (changed !== undefined) yield* addKey({ ...row, ...changed });
  }
}
const CLEAR_KEYS = query("DELETE FROM data_keys");
const WHOLE_KEYS = query<WholeKeyRow>(
  "SELECT id, project_id, root_key_id, wrapped, created_at, retired_at FROM data_keys ORDER BY rowid",
);
export const FORGET_DROPPED = query("DELETE FROM dropped_data_keys WHERE project_id = ?");
export const NOTE_DROPPED = query(
  "INSERT INTO dropped_data_keys (id, project_id) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
);
export const RETIRE_KEYS = query(
  "UPDATE data_keys SET retired_at = ? WHERE project_id = ? AND retired_at IS NULL",
);
export const RETIRED_KEYS = query<{ id: string; retired_at: number }>(
  "SELECT id, retired_at FROM data_keys WHERE project_id = ? AND retired_at IS NOT NULL",
);
export const PROJECTS_OF_RETIRED_KEYS = query<{ project_id: string }>(
  "SELECT DISTINCT project_id FROM data_keys WHERE retired_at IS NOT NULL",
);
export interface ProjectKeyRow extends DataKeyRow {
  project_id: string;
}
export const ALL_KEYS = query<ProjectKeyRow>("SELECT id, project_id, root_key_id, wrapped FROM data_keys");
export const ACTIVE_KEY = query<DataKeyRow>(
  "SELECT id, root_key_id, wrapped FROM data_keys WHERE project_id = ? AND retired_at IS NULL " +
    "ORDER BY created_at DESC LIMIT 1",
);
export const ONE_KEY = query<DataKeyRow>(
  "SELECT id, root_key_id, wrapped FROM data_keys WHERE project_id = ? AND id = ?",
);
