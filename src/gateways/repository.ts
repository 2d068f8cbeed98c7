// SQL of gateways.
import { get, query, rowCommands, type Store, type Transaction } from "../store";

export interface GatewayRow {
  id: string;
  project_id: string;
  slug: string;
  name: string;
  description: string | null;
  instructions: string | null;
  auth_type: string;
  user_source_id: string | null;
  status: string;
  /** JSON lists and objects. */
  passthrough_headers: string | null;
  consent_skip_client_ids: string | null;
  /** Null: everybody. */
  allowed_groups: string | null;
  tool_filter: string | null;
  created_at: number;
  updated_at: number;
}

const SETTABLE = [
  "slug",
  "name",
  "description",
  "instructions",
  "auth_type",
  "user_source_id",
  "status",
  "passthrough_headers",
  "consent_skip_client_ids",
  "allowed_groups",
  "tool_filter",
  "updated_at",
] as const;
const ALL = ["id", "project_id", "created_at", ...SETTABLE] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<GatewayRow>(`SELECT ${COLUMNS} FROM gateways WHERE project_id = ? AND id = ?`);
const FIND_BY_SLUG = query<GatewayRow>(`SELECT ${COLUMNS} FROM gateways WHERE slug = ?`);
const LIST = query<GatewayRow>(
  `SELECT ${COLUMNS} FROM gateways WHERE project_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
);
const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM gateways WHERE project_id = ?");

// Of all projects: a client that names no gateway means the only one.
const WITH_TYPE = query<{ slug: string }>(
  "SELECT slug FROM gateways WHERE auth_type = ? AND status = 'active' ORDER BY slug LIMIT 20",
);
const SIGNED_IN_TO = query<{ id: string; org_id: string }>("SELECT id, org_id FROM projects WHERE id = ?");
const WITH_SIGN_IN = query<{ id: string }>(
  "SELECT id FROM projects WHERE sign_in IS NOT NULL AND sign_in <> 'none' LIMIT 1",
);
const SIGN_IN = query<{ sign_in: string | null }>("SELECT sign_in FROM projects WHERE id = ?");

export const {
  add: addGateway,
  change: updateGateway,
  remove: deleteGateway,
} = rowCommands<GatewayRow>("gateways", "gateways", {
  all: ALL,
  settable: SETTABLE,
  key: ["project_id", "id"],
});

export function findGateway(store: Store, projectId: string, id: string): Promise<GatewayRow | undefined> {
  return store.get(FIND, projectId, id);
}

/** Not limited to a project: the slug is the public address, and the gateway that is found determines the project. */
export function findGatewayBySlug(store: Store, slug: string): Promise<GatewayRow | undefined> {
  return store.get(FIND_BY_SLUG, slug);
}

export async function listGateways(
  store: Store,
  projectId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: GatewayRow[]; total: number }> {
  const [rows, count] = await Promise.all([
    store.all(LIST, projectId, limit, offset),
    store.get(COUNT, projectId),
  ]);
  return { rows, total: count?.count ?? 0 };
}

export function* gatewayInTransaction(projectId: string, id: string): Transaction<GatewayRow | undefined> {
  return yield* get(FIND, projectId, id);
}

export function* slugInTransaction(slug: string): Transaction<GatewayRow | undefined> {
  return yield* get(FIND_BY_SLUG, slug);
}

/** The slugs of active gateways with a type of authentication, of all projects. */
export async function slugsOfType(store: Store, authType: string): Promise<string[]> {
  return (await store.all(WITH_TYPE, authType)).map(({ slug }) => slug);
}

export function projectOf(store: Store, id: string): Promise<{ id: string; org_id: string } | undefined> {
  return store.get(SIGNED_IN_TO, id);
}

/** Whether a project has a sign-in of its own. */
export async function hasOwnSignIn(store: Store): Promise<boolean> {
  return (await store.get(WITH_SIGN_IN)) !== undefined;
}

/** How people sign in to a project, if it has a way of its own. */
export function* signInOf(projectId: string): Transaction<string | null> {
  return (yield* get(SIGN_IN, projectId))?.sign_in ?? null;
}
