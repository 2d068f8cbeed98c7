// SQL of the keys that sign who calls a worker.
import { type Place, sealedColumn } from "../../crypto";
import { all, command, erase, insertInto, query, type Store, touch, type Transaction } from "../../store";

/** `next`: published, signs later. `retired`: signs no longer, published until its last token has expired. */
export type KeyState = "next" | "current" | "retired";

export interface KeyRow {
  project_id: string;
  /** The `kid` of its tokens. */
  id: string;
  state: KeyState;
  /** When it got its state. */
  since: number;
  /** JWK. */
  public_key: string;
  /** PKCS #8, base64url; null for one that is retired. */
  sealed_private_key: string | null;
  created_at: number;
}

export type PublishedKey = Pick<KeyRow, "public_key" | "state" | "since">;
type Key = Pick<KeyRow, "project_id" | "id">;

const COLUMNS = [
  "project_id",
  "id",
  "state",
  "since",
  "public_key",
  "sealed_private_key",
  "created_at",
] as const;
const LIST = query<KeyRow>(
  `SELECT ${COLUMNS.join(", ")} FROM identity_keys WHERE project_id = ? ORDER BY created_at, id`,
);
// Verifiers read the keys of all projects at one address.
const PUBLISHED = query<PublishedKey>(
  "SELECT public_key, state, since FROM identity_keys ORDER BY created_at, id",
);
const add = insertInto<KeyRow>("identity_keys", COLUMNS);
const setState = command<Omit<KeyRow, "public_key" | "created_at">>(
  "UPDATE identity_keys SET state = :state, since = :since, sealed_private_key = :sealed_private_key " +
    "WHERE project_id = :project_id AND id = :id",
);
const remove = command<Key>("DELETE FROM identity_keys WHERE project_id = :project_id AND id = :id");

export function listKeys(store: Store, projectId: string): Promise<KeyRow[]> {
  return store.all(LIST, projectId);
}

export function keysInTransaction(projectId: string): Transaction<KeyRow[]> {
  return all(LIST, projectId);
}

export function publishedKeys(store: Store): Promise<PublishedKey[]> {
  return store.all(PUBLISHED);
}

export function* addKey(row: KeyRow): Transaction<void> {
  yield* add(row);
  yield* touch("identity_keys");
}

/** A retired key loses its private part. */
export function* changeState(row: KeyRow, state: KeyState, since: number): Transaction<void> {
  if (state === "retired") yield* erase();
  const { project_id, id } = row;
  const sealed_private_key = state === "retired" ? null : row.sealed_private_key;
  yield* setState({ project_id, id, state, since, sealed_private_key });
  yield* touch("identity_keys");
}

export function* removeKey(key: Key): Transaction<void> {
  yield* erase();
  yield* remove(key);
  yield* touch("identity_keys");
}

export const sealedIdentityKeys = [
  sealedColumn({
    table: "identity_keys",
    kind: "identity_keys",
    column: "sealed_private_key",
    keys: ["id"],
    place: (row) => placeOf(String(row["id"])),
  }),
];

export function placeOf(id: string): Place {
  return { table: "identity_keys", row: id, field: "private_key" };
}
