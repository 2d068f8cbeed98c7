// SQL of what identity providers and proxies say about people, and of the roles of invited people.
import { sealedColumn } from "../crypto";
import { get, insertInto, query, run, type Store, touch, type Transaction } from "../store";

export interface IdentityRow {
  project_id: string;
  user_id: string;
  /** `sub` at the provider; empty for people whom a proxy names. */
  subject: string;
  /** JSON list. */
  groups_json: string;
  read_at: number;
  /** When a server began to read the groups again; 0: none. */
  claimed_at: number;
  /** When reading them again failed; 0: it has not. */
  failed_at: number;
  sealed_tokens: string | null;
}

const ALL = [
  "project_id",
  "user_id",
  "subject",
  "groups_json",
  "read_at",
  "claimed_at",
  "failed_at",
  "sealed_tokens",
] as const;
const FIND = query<IdentityRow>(
  `SELECT ${ALL.join(", ")} FROM identities WHERE project_id = ? AND user_id = ?`,
);
const put = insertInto<IdentityRow>(
  "identities",
  ALL,
  "ON CONFLICT (project_id, user_id) DO UPDATE SET subject = excluded.subject, groups_json = excluded.groups_json, " +
    "read_at = excluded.read_at, claimed_at = excluded.claimed_at, failed_at = excluded.failed_at, " +
    "sealed_tokens = excluded.sealed_tokens",
);
const CLAIM = query("UPDATE identities SET claimed_at = ? WHERE project_id = ? AND user_id = ?");
// Each sealed text is another one, so it says whether the tokens of a row are those that were read.
const UNCHANGED = "project_id = ? AND user_id = ? AND read_at = ? AND COALESCE(sealed_tokens, '') = ?";
const RENEW = query(
  `UPDATE identities SET groups_json = ?, read_at = ?, failed_at = ?, sealed_tokens = ? WHERE ${UNCHANGED}`,
);
const FAIL = query(`UPDATE identities SET failed_at = ? WHERE ${UNCHANGED}`);
const REMOVE = query("DELETE FROM identities WHERE project_id = ? AND user_id = ?");
const ROLE = query<{ role: string }>("SELECT role FROM people WHERE project_id = ? AND user_id = ?");
// Of all projects: the scopes of a sign-in are those of the deployment.
const HAS_GROUPS = query<{ id: string }>("SELECT id FROM gateways WHERE allowed_groups IS NOT NULL LIMIT 1");

export function findIdentity(
  store: Store,
  projectId: string,
  userId: string,
): Promise<IdentityRow | undefined> {
  return store.get(FIND, projectId, userId);
}

export function* putIdentity(row: IdentityRow): Transaction<void> {
  yield* put(row);
  yield* touch("people");
}

export function identityInTransaction(
  projectId: string,
  userId: string,
): Transaction<IdentityRow | undefined> {
  return get(FIND, projectId, userId);
}

// Other servers look at the row before they ask the provider, so none of what follows raises a generation.

/** Servers of earlier versions, which have no leases, wait after this. */
export function claim({ project_id, user_id }: IdentityRow, at: number): Transaction<number> {
  return run(CLAIM, at, project_id, user_id);
}

/** False if the row has changed since `seen` was read. */
export function* renew(
  seen: IdentityRow,
  now: Pick<IdentityRow, "groups_json" | "read_at" | "failed_at" | "sealed_tokens">,
): Transaction<boolean> {
  const { groups_json, read_at, failed_at, sealed_tokens } = now;
  return (yield* run(RENEW, groups_json, read_at, failed_at, sealed_tokens, ...unchanged(seen))) === 1;
}

/** Does nothing if the row has changed since `seen` was read. */
export function fail(seen: IdentityRow, at: number): Transaction<number> {
  return run(FAIL, at, ...unchanged(seen));
}

function unchanged({ project_id, user_id, read_at, sealed_tokens }: IdentityRow) {
  return [project_id, user_id, read_at, sealed_tokens ?? ""] as const;
}

/** The role of an invited person; undefined for others. */
export async function findRole(store: Store, projectId: string, userId: string): Promise<string | undefined> {
  return (await store.get(ROLE, projectId, userId))?.role;
}

/** Whether any gateway lets only some groups in. */
export async function areGroupsUsed(store: Store): Promise<boolean> {
  return (await store.get(HAS_GROUPS)) !== undefined;
}

export const sealedIdentities = [
  sealedColumn({
    table: "identities",
    kind: "people",
    column: "sealed_tokens",
    keys: ["user_id"],
    place: (row) => tokensPlace(String(row["user_id"])),
  }),
];

export function tokensPlace(userId: string) {
  // A list, so that errors do not name the user.
  return { table: "identities", row: JSON.stringify([userId]), field: "tokens" };
}

export function removeIdentity(projectId: string, userId: string): Transaction<number> {
  return run(REMOVE, projectId, userId);
}
