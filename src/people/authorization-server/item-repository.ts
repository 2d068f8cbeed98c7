// SQL of what the authorization server keeps until it expires: codes, refresh tokens, interactions. Their ids are secrets, so
// only hashes of them are stored.
import { sealedColumn, type Place } from "../../crypto";
import {
  command,
  erase,
  get,
  insertInto,
  insertNew,
  query,
  run,
  type Store,
  touch,
  type Transaction,
} from "../../store";

export interface ItemRow {
  kind: string;
  hash: string;
  project_id: string;
  user_id: string | null;
  client_id: string | null;
  /** The row of `client_grants`. */
  grant_id: string | null;
  /** The tokens of one sign-in. */
  grant_hash: string | null;
  user_code_hash: string | null;
  sealed_payload: string;
  created_at: number;
  expires_at: number | null;
  consumed_at: number | null;
}

const COLUMNS = [
  "kind",
  "hash",
  "project_id",
  "user_id",
  "client_id",
  "grant_id",
  "grant_hash",
  "user_code_hash",
  "sealed_payload",
  "created_at",
  "expires_at",
  "consumed_at",
] as const;
const ALL = COLUMNS.join(", ");
/** Rows that are removed in one transaction. */
const BATCH = 500;

// By hashes of 128 random bits and more, before the project is known. The payload is sealed with the project's key.
const FIND = query<ItemRow>(`SELECT ${ALL} FROM oauth_items WHERE kind = ? AND hash = ?`);
const FIND_BY_USER_CODE = query<ItemRow>(
  `SELECT ${ALL} FROM oauth_items WHERE kind = ? AND user_code_hash = ?`,
);
const CHAIN = query<{ project_id: string; user_id: string | null; grant_id: string | null }>(
  "SELECT project_id, user_id, grant_id FROM oauth_items WHERE kind = ? AND hash = ? AND expires_at > ?",
);
const insert = insertInto<ItemRow>(
  "oauth_items",
  COLUMNS,
  `ON CONFLICT (kind, hash) DO UPDATE SET
    user_id = excluded.user_id, grant_id = excluded.grant_id, grant_hash = excluded.grant_hash,
    sealed_payload = excluded.sealed_payload, expires_at = excluded.expires_at`,
);
const insertIfNew = insertNew<ItemRow>("oauth_items", COLUMNS);
const consume = command<Pick<ItemRow, "kind" | "hash"> & { now: number }>(
  "UPDATE oauth_items SET consumed_at = :now WHERE kind = :kind AND hash = :hash AND consumed_at IS NULL",
);
const REMOVE = query("DELETE FROM oauth_items WHERE kind = ? AND hash = ?");
const REMOVE_UNCHANGED = query("DELETE FROM oauth_items WHERE kind = ? AND hash = ? AND sealed_payload = ?");
const REMOVE_CHAIN = query("DELETE FROM oauth_items WHERE grant_hash = ?");
const REMOVE_EXPIRED = query(
  `DELETE FROM oauth_items WHERE (kind, hash) IN (
    SELECT kind, hash FROM oauth_items WHERE expires_at <= ? ORDER BY expires_at LIMIT ${BATCH})`,
);

/** What callers without a credential can make this server store. */
export const OPEN_KINDS = ["Interaction", "DeviceCode", "PushedAuthorizationRequest"];
/** How many of each kind are kept. The oldest go first. */
const MOST_OPEN = 20_000;
const REMOVE_OLDEST = query(
  `DELETE FROM oauth_items WHERE kind = ? AND hash IN (
    SELECT hash FROM oauth_items WHERE kind = ? AND grant_id IS NULL ORDER BY created_at DESC, hash LIMIT 1000 OFFSET ?)`,
);

/** Removes what callers without a credential have stored beyond the limit. */
export function removeOldest(kind: string, most = MOST_OPEN): Transaction<number> {
  return run(REMOVE_OLDEST, kind, kind, most);
}

/** The kind of the rows that say that the tokens of a sign-in are alive. */
export const CHAIN_KIND = "Grant";

export function findItem(store: Store, kind: string, hash: string): Promise<ItemRow | undefined> {
  return store.get(FIND, kind, hash);
}

export function findByUserCode(store: Store, kind: string, hash: string): Promise<ItemRow | undefined> {
  return store.get(FIND_BY_USER_CODE, kind, hash);
}

/** Whose tokens these are; undefined if the sign-in has ended. */
export function findChain(
  store: Store,
  hash: string,
  now: number,
): Promise<{ project_id: string; user_id: string | null; grant_id: string | null } | undefined> {
  return store.get(CHAIN, CHAIN_KIND, hash, now);
}

export function* putItem(row: ItemRow): Transaction<void> {
  yield* insert(row);
  // A sign-in that was looked for in vain is one now.
  if (row.kind === CHAIN_KIND) yield* touch("clients");
}

/** Does nothing if there is one. */
export function* addItemIfNew(row: ItemRow): Transaction<void> {
  yield* insertIfNew(row);
}

/** Does nothing if its payload has changed. */
export function* removeUnchanged({ kind, hash, sealed_payload }: ItemRow): Transaction<void> {
  yield* run(REMOVE_UNCHANGED, kind, hash, sealed_payload);
}

/** False if it has been consumed before, perhaps by another process at this moment. */
export function* consumeItem(kind: string, hash: string, now: number): Transaction<boolean> {
  return (yield* consume({ kind, hash, now })) > 0;
}

/** The tokens of the sign-in to which an item belongs. */
export function* chainOfItem(kind: string, hash: string): Transaction<string | undefined> {
  return (yield* get(FIND, kind, hash))?.grant_hash ?? undefined;
}

export function* removeItem(kind: string, hash: string): Transaction<void> {
  yield* erase();
  yield* run(REMOVE, kind, hash);
  if (kind === CHAIN_KIND) yield* touch("clients");
}

export function* removeChain(grantHash: string): Transaction<void> {
  yield* erase();
  yield* run(REMOVE_CHAIN, grantHash);
  yield* touch("clients");
}

/** Those that expired longest ago, up to a limit. They work no more, so no cache need know. */
export function removeExpired(now: number): Transaction<number> {
  return run(REMOVE_EXPIRED, now);
}

export function placeOf(kind: string, hash: string): Place {
  return { table: "oauth_items", row: `${kind}:${hash}`, field: "payload" };
}

export const sealedItems = [
  sealedColumn({
    table: "oauth_items",
    column: "sealed_payload",
    keys: ["kind", "hash"],
    place: (row) => placeOf(String(row["kind"]), String(row["hash"])),
  }),
];
