// SQL of session verification settings: one row per project that has changed them.
import { get, insertInto, query, type Store, touch, type Transaction } from "../store";

export interface SettingsRow {
  project_id: string;
  verifier_url: string | null;
  /** 0 or 1. */
  unsafe_skip: number;
  updated_at: number;
}

const FIND = query<SettingsRow>(
  "SELECT project_id, verifier_url, unsafe_skip, updated_at FROM session_settings WHERE project_id = ?",
);
const put = insertInto<SettingsRow>(
  "session_settings",
  ["project_id", "verifier_url", "unsafe_skip", "updated_at"],
  "ON CONFLICT (project_id) DO UPDATE SET verifier_url = excluded.verifier_url, " +
    "unsafe_skip = excluded.unsafe_skip, updated_at = excluded.updated_at",
);

export function findSettings(store: Store, projectId: string): Promise<SettingsRow | undefined> {
  return store.get(FIND, projectId);
}

export function* settingsInTransaction(projectId: string): Transaction<SettingsRow | undefined> {
  return yield* get(FIND, projectId);
}

export function* putSettings(row: SettingsRow): Transaction<void> {
  yield* put(row);
  yield* touch("settings");
}
