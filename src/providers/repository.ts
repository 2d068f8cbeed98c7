// SQL of auth providers.
import type { ApiKeyConfig } from "./api-key-schema";
import type { OAuth2Config } from "./schema";
import { all, get, insertInto, query, rowCommands, type Store, type Transaction } from "../store";

export function apiKeyOf({ api_key }: Pick<ProviderRow, "api_key">): ApiKeyConfig | undefined {
  // Written by this area only.
  return api_key === null ? undefined : (JSON.parse(api_key) as ApiKeyConfig);
}

/** Where keys of users may be sent; undefined for a provider of another type. */
export function keyAddressesOf(row: Pick<ProviderRow, "api_key">): readonly string[] | undefined {
  const config = apiKeyOf(row);
  return config === undefined ? undefined : (config.addresses ?? []);
}

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
  /** JSON of the record's `api_key`; null: the type is `oauth2`. */
  api_key: string | null;
  sealed_client_secret: string | null;
  sealed_private_key: string | null;
  /** JSON list of the origins that the values were given for (`origins.ts`); null: a record that is older than this column. */
  origins: string | null;
  /** Changes when an address moves to another origin. */
  origins_id: string;
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
  "api_key",
  "sealed_client_secret",
  "sealed_private_key",
  "origins",
  "origins_id",
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
// Read here, not by the database: a record that it cannot read must not hide those of other projects.
const CLIENTS = query<ProviderKey & Pick<ProviderRow, "oauth2">>(
  'SELECT project_id AS "projectId", id, oauth2 FROM auth_providers WHERE INSTR(oauth2, ?) > 0',
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

type FormerRow = Omit<
  ProviderRow,
  "type" | "api_key" | "description" | "status" | "created_at" | "updated_at"
> & {
  moved_at: number;
};
const FORMER = [
  "project_id",
  "id",
  "origins_id",
  "provider_id",
  "external_id",
  "oauth2",
  "origins",
  "sealed_client_secret",
  "sealed_private_key",
  "version",
  "moved_at",
] as const;
const addFormer = insertInto<FormerRow>("former_providers", FORMER);
const FIND_FORMER = query<FormerRow>(
  `SELECT ${FORMER.join(", ")} FROM former_providers WHERE project_id = ? AND id = ? AND origins_id = ?`,
);

/** Keeps a provider as it is, because its addresses are about to move, or it is about to be deleted. */
export function* keepFormerProvider(row: ProviderRow, now: number): Transaction<void> {
  yield* addFormer({ ...row, moved_at: now });
}

export async function findFormerProvider(
  store: Store,
  projectId: string,
  id: string,
  originsId: string,
): Promise<ProviderRow | undefined> {
  const row = await store.get(FIND_FORMER, projectId, id, originsId);
  // Nothing but a revocation uses it.
  const rest = {
    type: "oauth2",
    api_key: null,
    description: null,
    status: "inactive",
    created_at: 0,
    updated_at: 0,
  };
  return row === undefined ? undefined : { ...row, ...rest };
}

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
export async function listByClient(store: Store, clientId: string): Promise<ProviderKey[]> {
  const rows = await store.all(CLIENTS, JSON.stringify(clientId));
  return rows
    .filter(({ oauth2 }) => (JSON.parse(oauth2) as OAuth2Config).client_id === clientId)
    .map(({ projectId, id }) => ({ projectId, id }));
}

export function* providerInTransaction(projectId: string, id: string): Transaction<ProviderRow | undefined> {
  return yield* get(FIND, projectId, id);
}

export function* providersInTransaction(projectId: string, limit: number): Transaction<ProviderRow[]> {
  return yield* all(LIST, projectId, limit);
}
