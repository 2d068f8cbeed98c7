// SQL of organizations, projects and API keys.
import {
  all,
  get,
  insertInto,
  KINDS,
  query,
  rowCommands,
  run,
  type Store,
  touch,
  type Transaction,
} from "../store";

export interface OrganizationRow {
  id: string;
  name: string;
  created_at: number;
}

export interface ProjectRow {
  id: string;
  org_id: string;
  name: string;
  audience: string | null;
  /** How people sign in; null: as the deployment says. */
  sign_in: string | null;
  created_at: number;
  /** Random; empty for the default project. A later project with the same id has another one. */
  incarnation: string;
}

export interface KeyRow {
  id: string;
  project_id: string;
  name: string;
  role: string;
  prefix: string;
  hash: string;
  /** JSON list of user ids, or null for any. */
  users: string | null;
  created_at: number;
  expires_at: number | null;
  /** The id of the key that has replaced this one in a rotation. */
  replaced_by: string | null;
}

/** A key with the incarnation of its project. */
export type FoundKeyRow = KeyRow & { incarnation: string };

export type PinnedAdminKey = Pick<KeyRow, "id" | "name" | "project_id">;

/** What is stored in the transaction that stores a key, given the id of the key. */
export type Also = (id: string) => Transaction<void>;

const ALL_OF_KEY = [
  "id",
  "project_id",
  "name",
  "role",
  "prefix",
  "hash",
  "users",
  "created_at",
  "expires_at",
  "replaced_by",
] as const;
const KEY_COLUMNS = ALL_OF_KEY.join(", ");
const ALL_OF_PROJECT = ["id", "org_id", "name", "audience", "sign_in", "created_at", "incarnation"] as const;
const PROJECT_COLUMNS = ALL_OF_PROJECT.join(", ");

const FIND_ORGANIZATION = query<OrganizationRow>(
  "SELECT id, name, created_at FROM organizations WHERE id = ?",
);
const LIST_ORGANIZATIONS = query<OrganizationRow>(
  "SELECT id, name, created_at FROM organizations ORDER BY created_at, id LIMIT ?",
);
const ADD_ORGANIZATION = query("INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)");
const FIND_PROJECT = query<ProjectRow>(`SELECT ${PROJECT_COLUMNS} FROM projects WHERE id = ?`);
const PROJECT_IDS = query<{ id: string }>("SELECT id FROM projects ORDER BY id");
const LIST_PROJECTS = query<ProjectRow>(
  `SELECT ${PROJECT_COLUMNS} FROM projects ORDER BY created_at, id LIMIT ?`,
);
const LIST_NAMED = query<ProjectRow>(
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE audience IS NOT NULL OR id = ? ORDER BY created_at, id`,
);
const FIND_AUDIENCE = query<ProjectRow>(
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE audience = ? AND id <> ?`,
);

export const { add: addProject, change: updateProject } = rowCommands<ProjectRow>("projects", "projects", {
  all: ALL_OF_PROJECT,
  settable: ["name", "audience", "sign_in"],
  key: ["id"],
});
const DELETE_PROJECT = query("DELETE FROM projects WHERE id = ?");
const INCARNATION = "(SELECT incarnation FROM projects WHERE projects.id = project_id) AS incarnation";
const FIND_KEY_BY_HASH = query<FoundKeyRow>(
  `SELECT ${KEY_COLUMNS}, ${INCARNATION} FROM api_keys WHERE hash = ?`,
);
const FIND_KEY = query<FoundKeyRow>(
  `SELECT ${KEY_COLUMNS}, ${INCARNATION} FROM api_keys WHERE project_id = ? AND id = ?`,
);
const LIST_KEYS = query<KeyRow>(
  `SELECT ${KEY_COLUMNS} FROM api_keys WHERE project_id = ? ORDER BY created_at, id LIMIT ?`,
);
// Of all projects, for the operator.
const LIST_PINNED_ADMINS = query<PinnedAdminKey>(
  "SELECT id, name, project_id FROM api_keys WHERE role = 'admin' AND users IS NOT NULL ORDER BY created_at, id",
);
const COUNT_KEYS = query<{ count: number }>("SELECT COUNT(*) AS count FROM api_keys WHERE project_id = ?");
const insertKey = insertInto<KeyRow>("api_keys", ALL_OF_KEY);
const DELETE_KEY = query("DELETE FROM api_keys WHERE project_id = ? AND id = ?");
const REPLACE_KEY = query(
  "UPDATE api_keys SET replaced_by = ?, expires_at = ? WHERE project_id = ? AND id = ?",
);
const REPLACED_KEYS = query<KeyRow>(
  `SELECT ${KEY_COLUMNS} FROM api_keys WHERE project_id = ? AND replaced_by = ? AND expires_at <= ?`,
);

export function findProject(store: Store, id: string): Promise<ProjectRow | undefined> {
  return store.get(FIND_PROJECT, id);
}

export function listProjects(store: Store, limit: number): Promise<ProjectRow[]> {
  return store.all(LIST_PROJECTS, limit);
}

/** All projects that user tokens can name: those with an audience, and the default one. */
export function listNamedProjects(store: Store, defaultId: string): Promise<ProjectRow[]> {
  return store.all(LIST_NAMED, defaultId);
}

export function findOrganization(store: Store, id: string): Promise<OrganizationRow | undefined> {
  return store.get(FIND_ORGANIZATION, id);
}

export function listOrganizations(store: Store, limit: number): Promise<OrganizationRow[]> {
  return store.all(LIST_ORGANIZATIONS, limit);
}

/** Another project with this audience. */
export function* projectOfAudience(audience: string, exceptId: string): Transaction<ProjectRow | undefined> {
  return yield* get(FIND_AUDIENCE, audience, exceptId);
}

export function* organizationInTransaction(id: string): Transaction<OrganizationRow | undefined> {
  return yield* get(FIND_ORGANIZATION, id);
}

export function* projectInTransaction(id: string): Transaction<ProjectRow | undefined> {
  return yield* get(FIND_PROJECT, id);
}

export function* addOrganization(row: OrganizationRow): Transaction<void> {
  yield* run(ADD_ORGANIZATION, row.id, row.name, row.created_at);
}

/** Deletes the project and, by cascade, every record that belongs to it. */
export function* deleteProject(id: string): Transaction<number> {
  // Clears all caches: a new project may get the same id.
  for (const kind of KINDS) yield* touch(kind);
  return yield* run(DELETE_PROJECT, id);
}

export function findKeyByHash(store: Store, hash: string): Promise<FoundKeyRow | undefined> {
  return store.get(FIND_KEY_BY_HASH, hash);
}

export function findKey(store: Store, projectId: string, id: string): Promise<FoundKeyRow | undefined> {
  return store.get(FIND_KEY, projectId, id);
}

export function listKeys(store: Store, projectId: string, limit: number): Promise<KeyRow[]> {
  return store.all(LIST_KEYS, projectId, limit);
}

export function listPinnedAdminKeys(store: Store): Promise<PinnedAdminKey[]> {
  return store.all(LIST_PINNED_ADMINS);
}

export async function countKeys(store: Store, projectId: string): Promise<number> {
  return (await store.get(COUNT_KEYS, projectId))?.count ?? 0;
}

export function* addKey(row: KeyRow): Transaction<void> {
  yield* insertKey(row);
  yield* touch("keys");
}

export function keyInTransaction(projectId: string, id: string): Transaction<KeyRow | undefined> {
  return get(FIND_KEY, projectId, id);
}

export function* deleteKey(projectId: string, id: string): Transaction<number> {
  yield* touch("keys");
  return yield* run(DELETE_KEY, projectId, id);
}

/** The key stops working at `expiresAt`, because another one has replaced it. */
export function* replaceKey({ project_id, id, replaced_by, expires_at }: KeyRow): Transaction<void> {
  yield* touch("keys");
  yield* run(REPLACE_KEY, replaced_by, expires_at, project_id, id);
}

/** The expired keys that a key has replaced. */
export function replacedKeys(projectId: string, id: string, now: number): Transaction<KeyRow[]> {
  return all(REPLACED_KEYS, projectId, id, now);
}

/** The ids of all projects. */
export async function projectIds(store: Store): Promise<string[]> {
  return (await store.all(PROJECT_IDS)).map(({ id }) => id);
}
