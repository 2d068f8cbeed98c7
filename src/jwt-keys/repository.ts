// SQL of the keys that sign tokens, of which there are two tables with the same columns.
import { type Place, type SealedColumn, sealedColumn } from "../crypto";
import { all, command, erase, insertInto, query, type Store, touch, type Transaction } from "../store";

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

/** `identity_keys`: of a project, for its workers. `token_keys`: of the installation, for the people who sign in. */
export type KeyTableName = "identity_keys" | "token_keys";

export interface KeyTable {
  /** Of its generation too. */
  readonly name: KeyTableName;
  readonly sealed: readonly SealedColumn[];
  list(store: Store, projectId: string): Promise<KeyRow[]>;
  inTransaction(projectId: string): Transaction<KeyRow[]>;
  /** Of all projects: verifiers read them at one address. */
  published(store: Store): Promise<PublishedKey[]>;
  add(row: KeyRow): Transaction<void>;
  /** A retired key loses its private part. */
  changeState(row: KeyRow, state: KeyState, since: number): Transaction<void>;
  remove(key: Key): Transaction<void>;
  placeOf(id: string): Place;
}

export function keyTable(name: KeyTableName): KeyTable {
  const LIST = query<KeyRow>(
    `SELECT ${COLUMNS.join(", ")} FROM ${name} WHERE project_id = ? ORDER BY created_at, id`,
  );
  const PUBLISHED = query<PublishedKey>(
    `SELECT public_key, state, since FROM ${name} ORDER BY created_at, id`,
  );
  const add = insertInto<KeyRow>(name, COLUMNS);
  const setState = command<Omit<KeyRow, "public_key" | "created_at">>(
    `UPDATE ${name} SET state = :state, since = :since, sealed_private_key = :sealed_private_key ` +
      "WHERE project_id = :project_id AND id = :id",
  );
  const remove = command<Key>(`DELETE FROM ${name} WHERE project_id = :project_id AND id = :id`);
  const placeOf = (id: string): Place => ({ table: name, row: id, field: "private_key" });
  return {
    name,
    placeOf,
    sealed: [
      sealedColumn({
        table: name,
        kind: name,
        column: "sealed_private_key",
        keys: ["id"],
        place: (row) => placeOf(String(row["id"])),
      }),
    ],
    list: (store, projectId) => store.all(LIST, projectId),
    inTransaction: (projectId) => all(LIST, projectId),
    published: (store) => store.all(PUBLISHED),
    *add(row) {
      yield* add(row);
      yield* touch(name);
    },
    *changeState(row, state, since) {
      if (state === "retired") yield* erase();
      const { project_id, id } = row;
      const sealed_private_key = state === "retired" ? null : row.sealed_private_key;
      yield* setState({ project_id, id, state, since, sealed_private_key });
      yield* touch(name);
    },
    *remove(key) {
      yield* erase();
      yield* remove(key);
      yield* touch(name);
    },
  };
}

export const identityKeyTable = keyTable("identity_keys");
export const tokenKeyTable = keyTable("token_keys");
