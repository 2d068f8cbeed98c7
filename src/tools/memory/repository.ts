// SQL of what tools remember. Every statement names the project and the owner.
import { sealedColumn, type Place } from "../../crypto";
import { all, get, insertInto, named, query, run, type Store, type Transaction } from "../../store";

/** All that is remembered of one thing. */
export interface Owned {
  project_id: string;
  /** The connection's id, or the hash of client and account. */
  owner: string;
  kind: string;
  name: string;
}

export interface MemoryRow extends Owned {
  /** Null for what an account shares. */
  connection_id: string | null;
  part: number;
  /** Of the connection's tokens; 0 for what an account shares. */
  token_version: number;
  stored_at: number;
  kept_ms: number;
  bytes: number;
  sealed_value: string;
}

type Found = Pick<MemoryRow, "part" | "stored_at" | "kept_ms" | "sealed_value">;

/** Sealed bytes of one thing, of a project, and of all projects. Files of more than 16 MiB are not cleaned by themselves. */
export const MOST_BYTES = { thing: 3_000_000, project: 4_500_000, all: 8_000_000 } as const;

const FIND = named<Owned & Pick<MemoryRow, "part" | "token_version">, Found>(
  "SELECT part, stored_at, kept_ms, sealed_value FROM tool_memory WHERE project_id = :project_id AND owner = :owner " +
    "AND kind = :kind AND name = :name AND part >= :part AND token_version = :token_version ORDER BY part",
);
const put = insertInto<MemoryRow>(
  "tool_memory",
  [
    ...(["project_id", "owner", "connection_id", "kind", "name", "part", "token_version"] as const),
    ...(["stored_at", "kept_ms", "bytes", "sealed_value"] as const),
  ],
  "ON CONFLICT (project_id, owner, kind, name, part) DO UPDATE SET token_version = excluded.token_version, " +
    "stored_at = excluded.stored_at, kept_ms = excluded.kept_ms, bytes = excluded.bytes, " +
    "sealed_value = excluded.sealed_value WHERE excluded.token_version >= tool_memory.token_version",
);
const OF_OWNED = "project_id = ? AND owner = ? AND kind = ? AND name = ?";
const FORGET = query(`DELETE FROM tool_memory WHERE ${OF_OWNED} AND token_version <= ?`);
const FORGET_OTHER_TOKENS = query(
  "DELETE FROM tool_memory WHERE project_id = ? AND owner = ? AND token_version < ?",
);
const TIMES = query<{ stored_at: number | null; until: number | null }>(
  "SELECT MAX(CASE part WHEN ? THEN stored_at END) AS stored_at, MAX(stored_at + kept_ms) AS until " +
    `FROM tool_memory WHERE ${OF_OWNED} AND token_version = ?`,
);
const SIZE = query<{ bytes: number | null }>(`SELECT SUM(bytes) AS bytes FROM tool_memory WHERE ${OF_OWNED}`);
const SIZE_OF_PROJECT = query<{ bytes: number | null }>(
  "SELECT SUM(bytes) AS bytes FROM tool_memory WHERE project_id = ?",
);
const SIZE_OF_ALL = query<{ bytes: number | null }>("SELECT SUM(bytes) AS bytes FROM tool_memory");
const LATEST = "MAX(stored_at)";
const THINGS = "SELECT project_id, owner, kind, name FROM tool_memory";
const GROUPED = "GROUP BY project_id, owner, kind, name";
const OVER = query<Owned>(`${THINGS} ${GROUPED} HAVING ${LATEST} + MAX(kept_ms) < ? LIMIT 20`);
const OLDEST = query<Owned>(`${THINGS} ${GROUPED} ORDER BY ${LATEST} LIMIT 1`);
const OLDEST_OF_PROJECT = query<Owned>(
  `${THINGS} WHERE project_id = ? ${GROUPED} ORDER BY ${LATEST} LIMIT 1`,
);
/** Of any token. */
const ANY_VERSION = Number.MAX_SAFE_INTEGER;

export function findMemory(
  store: Store,
  wanted: Owned & Pick<MemoryRow, "part" | "token_version">,
): Promise<Found[]> {
  return store.all(FIND, ...FIND.values(wanted));
}

/**
 * Stores a part and keeps the bounds. What is out of date, and what tokens of an earlier version have read, is removed.
 * False if another part of the time `since` or later is kept instead.
 */
export function* putMemory(row: MemoryRow, since: number | undefined): Transaction<boolean> {
  if (since !== undefined && (yield* isTaken(row, since))) return false;
  yield* run(FORGET_OTHER_TOKENS, row.project_id, row.owner, row.token_version);
  yield* put(row);
  for (const thing of yield* all(OVER, row.stored_at)) yield* removed(thing);
  if (sum(yield* get(SIZE, ...keyOf(row))) > MOST_BYTES.thing) yield* removed(row);
  while (sum(yield* get(SIZE_OF_PROJECT, row.project_id)) > MOST_BYTES.project)
    yield* removed(yield* get(OLDEST_OF_PROJECT, row.project_id));
  while (sum(yield* get(SIZE_OF_ALL)) > MOST_BYTES.all) yield* removed(yield* get(OLDEST));
  return true;
}

/** Whether the part is stored, is of this time or later, and has not expired with the others of its name. */
function* isTaken(row: MemoryRow, since: number): Transaction<boolean> {
  const found = yield* get(TIMES, row.part, ...keyOf(row), row.token_version);
  return (found?.stored_at ?? -1) >= since && (found?.until ?? 0) > row.stored_at;
}

/** @param version tokens of a later version may have read something newer */
export function* forgetMemory(owned: Owned, version = ANY_VERSION): Transaction<void> {
  yield* run(FORGET, ...keyOf(owned), version);
}

export function placeOfMemory({
  owner,
  kind,
  name,
  part,
}: Omit<Owned, "project_id"> & { part: number }): Place {
  return { table: "tool_memory", row: JSON.stringify([owner, kind, name, part]), field: "value" };
}

export const sealedMemory = [
  sealedColumn({
    table: "tool_memory",
    column: "sealed_value",
    keys: ["owner", "kind", "name", "part"],
    numbers: ["part"],
    place: (row) =>
      placeOfMemory({
        owner: String(row["owner"]),
        kind: String(row["kind"]),
        name: String(row["name"]),
        part: Number(row["part"]),
      }),
  }),
];

function* removed(owned: Owned | undefined): Transaction<void> {
  if (owned !== undefined) yield* forgetMemory(owned);
}

function keyOf({ project_id, owner, kind, name }: Owned): [string, string, string, string] {
  return [project_id, owner, kind, name];
}

function sum(row: { bytes: number | null } | undefined): number {
  return row?.bytes ?? 0;
}
