// SQL of auth providers.
import { all, get, query, rowCommands, type Store, type Transaction } from "../store";

export interface ProviderKey {
  projectId: string;
  id: string;
}

export interface ProviderRow {
  project_id: string;
  id: string;
  provider_id: string | null;
  type: string;
  description: string | null;
  external_id: string;
  status: string;
  /** JSON of the record's `oauth2` without its secrets. */
  oauth2: string;
  sealed_client_secret: string | null;
  sealed_private_key: string | null;
  /** Incremented by each change of a field that pending consents depend on. */
  version: number;
  created_at: number;
  updated_at: number;
}

const SETTABLE = [
  "provider_id",
  "description",
  "status",
  "oauth2",
  "sealed_client_secret",
  "sealed_private_key",
  "version",
  "updated_at",
] as const;
const ALL = ["project_id", "id", "type", "external_id", "created_at", ...SETTABLE] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<ProviderRow>(`SELECT ${COLUMNS} FROM auth_providers WHERE project_id = ? AND id = ?`);
const FIND_BY_EXTERNAL_ID = query<ProviderRow>(`SELECT ${COLUMNS} FROM auth_providers WHERE external_id = ?`);
const LIST = query<ProviderRow>(
  `SELECT ${COLUMNS} FROM auth_providers WHERE project_id = ? ORDER BY created_at, id LIMIT ?`,
);
const LIST_ACTIVE_NAMED = query<ProviderRow>(
  `SELECT ${COLUMNS} FROM auth_providers WHERE (provider_id = ? OR id = ?) AND status = 'active' ORDER BY created_at, id`,
);
const LIST_BY_CLIENT = query<ProviderKey>(
  "SELECT project_id AS projectId, id FROM auth_providers WHERE oauth2 ->> '$.client_id' = ?",
);

export const {
  add: addProvider,
  change: updateProvider,
  remove: deleteProvider,
} = rowCommands<ProviderRow>("auth_providers", "providers", {
  all: ALL,
  settable: SETTABLE,
  key: ["project_id", "id"],
});

export function findProvider(store: Store, projectId: string, id: string): Promise<ProviderRow | undefined> {
  return store.get(FIND, projectId, id);
}

export function findByExternalId(store: Store, externalId: string): Promise<ProviderRow | undefined> {
  return store.get(FIND_BY_EXTERNAL_ID, externalId);
}

export function listProviders(store: Store, projectId: string, limit: number): Promise<ProviderRow[]> {
  return store.all(LIST, projectId, limit);
}

/** Active records in all projects with this id or well-known provider. */
export function listActiveNamed(store: Store, name: string): Promise<ProviderRow[]> {
  return store.all(LIST_ACTIVE_NAMED, name, name);
}

/** Records in all projects, active or not, with this client. */
export function listByClient(store: Store, clientId: string): Promise<ProviderKey[]> {
  return store.all(LIST_BY_CLIENT, clientId);
}

export function* providerInTransaction(projectId: string, id: string): Transaction<ProviderRow | undefined> {
  return yield* get(FIND, projectId, id);
}

export function* providersInTransaction(projectId: string, limit: number): Transaction<ProviderRow[]> {
  return yield* all(LIST, projectId, limit);
}
