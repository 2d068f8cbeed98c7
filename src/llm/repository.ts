// SQL of model entries and of the settings for chat completions of a project.
import { get, query, rowCommands, run, type Store, touch, type Transaction } from "../store";

export interface ModelRow {
  project_id: string;
  id: string;
  type: string;
  /** JSON. */
  server: string;
  /** JSON. */
  models: string;
  sealed_api_key: string | null;
  /** JSON list of the origins that the key was given for; null: an entry that is older than this column. */
  origins: string | null;
  created_at: number;
  updated_at: number;
}

export interface SettingsRow {
  project_id: string;
  tools: string;
  updated_at: number;
}

const SETTABLE = ["server", "models", "sealed_api_key", "origins", "updated_at"] as const;
const ALL = ["project_id", "id", "type", "created_at", ...SETTABLE] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<ModelRow>(`SELECT ${COLUMNS} FROM models WHERE project_id = ? AND id = ?`);
const LIST = query<ModelRow>(
  `SELECT ${COLUMNS} FROM models WHERE project_id = ? ORDER BY created_at, id LIMIT ?`,
);
const FIND_SETTINGS = query<SettingsRow>(
  "SELECT project_id, tools, updated_at FROM llm_settings WHERE project_id = ?",
);
const PUT_SETTINGS = query(
  "INSERT INTO llm_settings (project_id, tools, updated_at) VALUES (?, ?, ?) " +
    "ON CONFLICT (project_id) DO UPDATE SET tools = excluded.tools, updated_at = excluded.updated_at",
);

export const {
  add: addModel,
  change: updateModel,
  remove: deleteModel,
} = rowCommands<ModelRow>("models", "models", { all: ALL, settable: SETTABLE, key: ["project_id", "id"] });

export function listModels(store: Store, projectId: string, limit: number): Promise<ModelRow[]> {
  return store.all(LIST, projectId, limit);
}

export function* modelInTransaction(projectId: string, id: string): Transaction<ModelRow | undefined> {
  return yield* get(FIND, projectId, id);
}

export function findSettings(store: Store, projectId: string): Promise<SettingsRow | undefined> {
  return store.get(FIND_SETTINGS, projectId);
}

export function settingsInTransaction(projectId: string): Transaction<SettingsRow | undefined> {
  return get(FIND_SETTINGS, projectId);
}

export function* putSettings(row: SettingsRow): Transaction<void> {
  yield* run(PUT_SETTINGS, row.project_id, row.tools, row.updated_at);
  yield* touch("models");
}
