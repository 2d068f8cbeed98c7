// SQL of what people have allowed clients. A grant that is removed takes its codes and refresh tokens with it.
import {
  all,
  command,
  erase,
  get,
  insertInto,
  query,
  run,
  type Store,
  touch,
  type Transaction,
} from "../../store";

export interface GrantRow {
  id: string;
  project_id: string;
  user_id: string;
  client_id: string;
  client_name: string | null;
  /** Id of the gateway; empty: the API of the project. */
  resource: string;
  scopes: string;
  created_at: number;
  used_at: number | null;
  /** How the person was signed in. Where people sign in by another method, the grant does not count. */
  method: string;
}

/** With its gateway, if that exists. */
export type ListedGrantRow = GrantRow & { gateway_name: string | null; gateway_slug: string | null };

/** A person's client at a resource. */
export type GrantKey = Pick<GrantRow, "project_id" | "user_id" | "client_id" | "resource">;

const COLUMNS = [
  "id",
  "project_id",
  "user_id",
  "client_id",
  "client_name",
  "resource",
  "scopes",
  "created_at",
  "used_at",
  "method",
] as const;
const ALL = COLUMNS.join(", ");
const OF_KEY = "project_id = ? AND user_id = ? AND client_id = ? AND resource = ?";
const FIND_BY_KEY = query<GrantRow>(`SELECT ${ALL} FROM client_grants WHERE ${OF_KEY}`);
const FIND = query<GrantRow>(
  `SELECT ${ALL} FROM client_grants WHERE project_id = ? AND user_id = ? AND id = ?`,
);
const GATEWAY =
  "FROM gateways WHERE gateways.project_id = client_grants.project_id AND gateways.id = resource";
const LISTED =
  `SELECT ${ALL}, (SELECT name ${GATEWAY}) AS gateway_name, (SELECT slug ${GATEWAY}) AS gateway_slug ` +
  "FROM client_grants WHERE project_id = ?";
const OF_PROJECT = query<ListedGrantRow>(`${LISTED} ORDER BY created_at, id LIMIT ?`);
const OF_PERSON = query<ListedGrantRow>(
  `${LISTED} AND user_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
);
const FIND_LISTED = query<ListedGrantRow>(`${LISTED} AND user_id = ? AND id = ?`);
const CLIENT_IDS = query<{ client_id: string }>(
  "SELECT DISTINCT client_id FROM client_grants WHERE project_id = ? ORDER BY client_id",
);
const OF_CLIENT = query<{ id: string }>(
  "SELECT id FROM client_grants WHERE project_id = ? AND client_id = ? ORDER BY id",
);
const insert = insertInto<GrantRow>("client_grants", COLUMNS);
const rescope = command<Pick<GrantRow, "project_id" | "id" | "client_name" | "scopes">>(
  "UPDATE client_grants SET client_name = :client_name, scopes = :scopes WHERE project_id = :project_id AND id = :id",
);
const STAMP = query(
  "UPDATE client_grants SET used_at = ? WHERE project_id = ? AND id = ? AND (used_at IS NULL OR used_at < ?)",
);
const REMOVE = query("DELETE FROM client_grants WHERE project_id = ? AND user_id = ? AND id = ?");
const REMOVE_OF_PERSON = query("DELETE FROM client_grants WHERE project_id = ? AND user_id = ?");
const REMOVE_OF_CLIENT = query("DELETE FROM client_grants WHERE project_id = ? AND client_id = ?");
const REMOVE_OF_OTHER_METHODS = query("DELETE FROM client_grants WHERE project_id = ? AND method <> ?");
const REMOVE_ITEMS = query("DELETE FROM oauth_items WHERE project_id = ? AND grant_id = ?");
const REMOVE_ITEMS_OF_PERSON = query("DELETE FROM oauth_items WHERE project_id = ? AND user_id = ?");
const REMOVE_ITEMS_OF_CLIENT = query("DELETE FROM oauth_items WHERE project_id = ? AND client_id = ?");

export function findByKey(store: Store, key: GrantKey): Promise<GrantRow | undefined> {
  return store.get(FIND_BY_KEY, key.project_id, key.user_id, key.client_id, key.resource);
}

export function find(
  store: Store,
  projectId: string,
  userId: string,
  id: string,
): Promise<GrantRow | undefined> {
  return store.get(FIND, projectId, userId, id);
}

export function ofProject(store: Store, projectId: string, limit: number): Promise<ListedGrantRow[]> {
  return store.all(OF_PROJECT, projectId, limit);
}

/** The newest first. */
export function ofPerson(
  store: Store,
  projectId: string,
  userId: string,
  limit: number,
): Promise<ListedGrantRow[]> {
  return store.all(OF_PERSON, projectId, userId, limit);
}

export function findListed(
  store: Store,
  projectId: string,
  userId: string,
  id: string,
): Promise<ListedGrantRow | undefined> {
  return store.get(FIND_LISTED, projectId, userId, id);
}

/** The clients of a project. */
export async function clientIds(store: Store, projectId: string): Promise<string[]> {
  return (await store.all(CLIENT_IDS, projectId)).map(({ client_id }) => client_id);
}

/**
 * Adds a grant, or gives an existing one these scopes. One of another sign-in method is replaced with its tokens: it may be
 * that of another person with this name. Returns the id, and whether it was added.
 */
export function* put(row: GrantRow): Transaction<{ id: string; isNew: boolean }> {
  let known = yield* get(FIND_BY_KEY, row.project_id, row.user_id, row.client_id, row.resource);
  if (known !== undefined && known.method !== row.method) {
    yield* remove(row.project_id, row.user_id, known.id);
    known = undefined;
  }
  if (known === undefined) yield* insert(row);
  else yield* rescope({ ...row, id: known.id });
  yield* touch("clients");
  return { id: known?.id ?? row.id, isNew: known === undefined };
}

/** For people to read; nothing is cached by it. */
export function stamp(projectId: string, id: string, now: number): Transaction<number> {
  return run(STAMP, now, projectId, id, now);
}

/** Returns what was removed; undefined if the person has no such grant. */
export function* remove(projectId: string, userId: string, id: string): Transaction<GrantRow | undefined> {
  const row = yield* get(FIND, projectId, userId, id);
  // Unknown ids must not empty the caches.
  if (row === undefined) return undefined;
  yield* erase();
  yield* touch("clients");
  yield* run(REMOVE, projectId, userId, id);
  yield* run(REMOVE_ITEMS, projectId, id);
  return row;
}

/** With what has been begun in the person's name. */
export function* removeOfPerson(projectId: string, userId: string): Transaction<number> {
  yield* erase();
  yield* touch("clients");
  yield* run(REMOVE_ITEMS_OF_PERSON, projectId, userId);
  return yield* run(REMOVE_OF_PERSON, projectId, userId);
}

/** Those that were given by another method. Their tokens go with them. */
export function* removeOfOtherMethods(projectId: string, method: string): Transaction<number> {
  yield* erase();
  yield* touch("clients");
  return yield* run(REMOVE_OF_OTHER_METHODS, projectId, method);
}

/** Returns the ids of the removed grants. */
export function* removeOfClient(projectId: string, clientId: string): Transaction<string[]> {
  yield* erase();
  yield* touch("clients");
  const ids = (yield* all(OF_CLIENT, projectId, clientId)).map(({ id }) => id);
  yield* run(REMOVE_ITEMS_OF_CLIENT, projectId, clientId);
  yield* run(REMOVE_OF_CLIENT, projectId, clientId);
  return ids;
}
