// SQL of plugins and hooks. A binding is a pair of columns: `project` and its id, or `tenant` and the id of the
// organization. Every lookup is limited to the bindings that the caller may see.
import { all, get, query, rowCommands, run, type Store, type Transaction } from "../store";

export interface Binding {
  type: "tenant" | "project";
  id: string;
}

/** A project and its organization. */
export interface Scope {
  projectId: string;
  orgId: string;
}

export interface PluginRow {
  id: string;
  /** The project whose data key seals the credentials. */
  project_id: string;
  binding_type: string;
  binding_id: string;
  name: string;
  description: string | null;
  status: string;
  /** JSON. */
  retry: string;
  /** JSON of the configuration without credentials. */
  webhook: string;
  sealed_credentials: string | null;
  /** JSON list of the origins that the credentials were given for; null: a plugin that is older than this column. */
  origins: string | null;
  health_status: string;
  version: number;
  created_by: string;
  updated_by: string;
  created_at: number;
  updated_at: number;
}

export interface HookRow {
  id: string;
  project_id: string;
  binding_type: string;
  binding_id: string;
  plugin_id: string;
  name: string;
  hook_point: string;
  phase: string;
  failure_mode: string;
  priority: number;
  status: string;
  /** null: that of the endpoint. */
  timeout_ms: number | null;
  version: number;
  created_at: number;
  updated_at: number;
}

const KEY = ["id", "binding_type", "binding_id"] as const;
const SETTABLE_OF_PLUGIN = [
  "name",
  "description",
  "status",
  "retry",
  "webhook",
  "sealed_credentials",
  "origins",
  "version",
  "updated_by",
  "updated_at",
] as const;
const ALL_OF_PLUGIN = [
  ...KEY,
  "project_id",
  "health_status",
  "created_by",
  "created_at",
  ...SETTABLE_OF_PLUGIN,
] as const;
const PLUGIN_COLUMNS = ALL_OF_PLUGIN.join(", ");
const SETTABLE_OF_HOOK = [
  "phase",
  "failure_mode",
  "priority",
  "status",
  "timeout_ms",
  "version",
  "updated_at",
] as const;
const ALL_OF_HOOK = [
  ...KEY,
  "project_id",
  "plugin_id",
  "name",
  "hook_point",
  "created_at",
  ...SETTABLE_OF_HOOK,
] as const;
const HOOK_COLUMNS = ALL_OF_HOOK.join(", ");
const VISIBLE =
  "((binding_type = 'project' AND binding_id = ?) OR (binding_type = 'tenant' AND binding_id = ?))";

const FIND_PLUGIN = query<PluginRow>(`SELECT ${PLUGIN_COLUMNS} FROM plugins WHERE id = ? AND ${VISIBLE}`);
const FIND_NAMED = query<PluginRow>(
  `SELECT ${PLUGIN_COLUMNS} FROM plugins WHERE binding_type = ? AND binding_id = ? AND name = ?`,
);
const LIST_PLUGINS = query<PluginRow>(
  `SELECT ${PLUGIN_COLUMNS} FROM plugins WHERE binding_type = ? AND binding_id = ? ` +
    "ORDER BY created_at, id LIMIT ? OFFSET ?",
);
const COUNT_PLUGINS = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM plugins WHERE binding_type = ? AND binding_id = ?",
);
const VISIBLE_PLUGINS = query<PluginRow>(`SELECT ${PLUGIN_COLUMNS} FROM plugins WHERE ${VISIBLE}`);
const ACTIVE_PLUGINS = query<PluginRow>(
  `SELECT ${PLUGIN_COLUMNS} FROM (SELECT ${PLUGIN_COLUMNS}, ROW_NUMBER() OVER (PARTITION BY project_id ` +
    "ORDER BY created_at, id) AS turn FROM plugins WHERE status = 'active') AS active " +
    "ORDER BY turn, created_at, id LIMIT ?",
);
const SET_HEALTH = query("UPDATE plugins SET health_status = ? WHERE id = ? AND version = ?");

export const {
  add: addPlugin,
  change: updatePlugin,
  remove: deletePlugin,
} = rowCommands<PluginRow>("plugins", "hooks", {
  all: ALL_OF_PLUGIN,
  settable: SETTABLE_OF_PLUGIN,
  key: KEY,
});

const FIND_HOOK = query<HookRow>(`SELECT ${HOOK_COLUMNS} FROM hooks WHERE id = ? AND ${VISIBLE}`);
const LIST_HOOKS = query<HookRow>(
  `SELECT ${HOOK_COLUMNS} FROM hooks WHERE ${VISIBLE} ORDER BY created_at, id`,
);
const LIST_BOUND_HOOKS = query<HookRow>(
  `SELECT ${HOOK_COLUMNS} FROM hooks WHERE binding_type = ? AND binding_id = ? ORDER BY created_at, id`,
);
const ACTIVE_HOOKS = query<HookRow>(
  `SELECT ${HOOK_COLUMNS} FROM hooks WHERE ${VISIBLE} AND status = 'active' ORDER BY priority, created_at, id`,
);
const HOOKS_OF_PLUGIN = query<HookRow>(
  `SELECT ${HOOK_COLUMNS} FROM hooks WHERE plugin_id = ? ORDER BY created_at, id`,
);

export const {
  add: addHook,
  change: updateHook,
  remove: deleteHook,
} = rowCommands<HookRow>("hooks", "hooks", { all: ALL_OF_HOOK, settable: SETTABLE_OF_HOOK, key: KEY });

/** A plugin of the project or of its organization. */
export function findPlugin(store: Store, scope: Scope, id: string): Promise<PluginRow | undefined> {
  return store.get(FIND_PLUGIN, id, scope.projectId, scope.orgId);
}

export function listPlugins(
  store: Store,
  { type, id }: Binding,
  limit: number,
  offset: number,
): Promise<PluginRow[]> {
  return store.all(LIST_PLUGINS, type, id, limit, offset);
}

export async function countPlugins(store: Store, { type, id }: Binding): Promise<number> {
  return (await store.get(COUNT_PLUGINS, type, id))?.count ?? 0;
}

/** All plugins of the project and of its organization. */
export function visiblePlugins(store: Store, { projectId, orgId }: Scope): Promise<PluginRow[]> {
  return store.all(VISIBLE_PLUGINS, projectId, orgId);
}

/** Active plugins, for the health poll. Projects take turns. */
export function activePlugins(store: Store, limit: number): Promise<PluginRow[]> {
  return store.all(ACTIVE_PLUGINS, limit);
}

/** A hook of the project or of its organization. */
export function findHook(store: Store, scope: Scope, id: string): Promise<HookRow | undefined> {
  return store.get(FIND_HOOK, id, scope.projectId, scope.orgId);
}

/** Oldest first. A binding has at most 3,003 hooks: one per point and priority. */
export function listHooks(store: Store, { projectId, orgId }: Scope): Promise<HookRow[]> {
  return store.all(LIST_HOOKS, projectId, orgId);
}

/** By ascending priority. */
export function activeHooks(store: Store, { projectId, orgId }: Scope): Promise<HookRow[]> {
  return store.all(ACTIVE_HOOKS, projectId, orgId);
}

export function* pluginInTransaction(scope: Scope, id: string): Transaction<PluginRow | undefined> {
  return yield* get(FIND_PLUGIN, id, scope.projectId, scope.orgId);
}

export function* pluginNamed({ type, id }: Binding, name: string): Transaction<PluginRow | undefined> {
  return yield* get(FIND_NAMED, type, id, name);
}

/** Of every binding. */
export function* hooksOfPlugin(pluginId: string): Transaction<HookRow[]> {
  return yield* all(HOOKS_OF_PLUGIN, pluginId);
}

/** Only if the plugin has not changed. Calls do not depend on it, so no generation is raised. */
export function* setHealth({ id, version }: PluginRow, health: string): Transaction<void> {
  yield* run(SET_HEALTH, health, id, version);
}

export function* hookInTransaction(scope: Scope, id: string): Transaction<HookRow | undefined> {
  return yield* get(FIND_HOOK, id, scope.projectId, scope.orgId);
}

export function* hooksInTransaction({ type, id }: Binding): Transaction<HookRow[]> {
  return yield* all(LIST_BOUND_HOOKS, type, id);
}
