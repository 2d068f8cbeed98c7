// SQL of clients that registered themselves and that somebody has allowed something, or that were revoked.
import { type Place, sealedColumn } from "../../crypto";
import { all, erase, get, insertNew, query, run, type Store, touch, type Transaction } from "../../store";

export interface ClientRow {
  id: string;
  /** The default project. */
  project_id: string;
  name: string | null;
  sealed_metadata: string;
  created_at: number;
  used_at: number;
  revoked_at: number | null;
}

const COLUMNS = [
  "id",
  "project_id",
  "name",
  "sealed_metadata",
  "created_at",
  "used_at",
  "revoked_at",
] as const;
/** Clients that are removed in one transaction. */
const BATCH = 100;
// The clients of all projects register at one address.
const FIND = query<ClientRow>(`SELECT ${COLUMNS.join(", ")} FROM oauth_clients WHERE id = ?`);
const UNUSED = query<{ id: string }>(
  `SELECT id FROM oauth_clients WHERE used_at <= ? ORDER BY used_at LIMIT ${BATCH}`,
);
const insert = insertNew<ClientRow>("oauth_clients", COLUMNS);
const STAMP = query("UPDATE oauth_clients SET used_at = ? WHERE id = ? AND used_at < ?");
const REVOKE = query("UPDATE oauth_clients SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
const REMOVE = query("DELETE FROM oauth_clients WHERE id = ?");
const REMOVE_ITEMS = query("DELETE FROM oauth_items WHERE client_id = ?");
const REMOVE_GRANTS = query("DELETE FROM client_grants WHERE client_id = ?");

export function findClient(store: Store, id: string): Promise<ClientRow | undefined> {
  return store.get(FIND, id);
}

export function clientInTransaction(id: string): Transaction<ClientRow | undefined> {
  return get(FIND, id);
}

export function addClient(row: ClientRow): Transaction<number> {
  return insert(row);
}

export function stampClient(id: string, now: number): Transaction<number> {
  return run(STAMP, now, id, now);
}

/** Ends everything of the client in all projects. */
export function* revokeClient(id: string, now: number): Transaction<void> {
  yield* erase();
  yield* run(REVOKE, now, id);
  yield* run(REMOVE_ITEMS, id);
  yield* run(REMOVE_GRANTS, id);
  yield* touch("clients");
}

/** Removes clients that were last used at this time or before, with what was allowed them. */
export function* removeUnused(before: number): Transaction<void> {
  const rows = yield* all(UNUSED, before);
  if (rows.length === 0) return;
  yield* erase();
  for (const { id } of rows) {
    yield* run(REMOVE_ITEMS, id);
    yield* run(REMOVE_GRANTS, id);
    yield* run(REMOVE, id);
  }
  yield* touch("clients");
}

export function clientPlace(id: string): Place {
  return { table: "oauth_clients", row: id, field: "metadata" };
}

export const sealedClients = [
  sealedColumn({
    table: "oauth_clients",
    column: "sealed_metadata",
    keys: ["id"],
    place: (row) => clientPlace(String(row["id"])),
  }),
];
