// SQL of stored catalogs.
import { all, get, insertInto, query, run, type Store, touch, type Transaction } from "../store";

/** What lists and records need, without the definitions. */
export interface CatalogFacts {
  project_id: string;
  worker_id: string;
  /** SHA-256 of the accepted tools; empty: nothing has been accepted. */
  accepted_hash: string;
  /** SHA-256 of the tools as the worker has them; empty: it has not been read. */
  latest_hash: string;
  /** JSON (`NamesOfToolkit[]`) of the accepted tools, in the order of `accepted`. */
  names: string;
  /** JSON (`Skipped[]`) of the latest catalog. */
  skipped: string;
  /** JSON (`Summary`). */
  summary: string;
  fetched_at: number | null;
  /** When it should be read again. */
  due_at: number;
  /** JSON (`Failure`) of the last attempt; null: it succeeded. */
  failure: string | null;
  failed_at: number | null;
  /** SHA-256 of the latest contents besides tools. */
  contents_hash: string;
}

export interface CatalogRow extends CatalogFacts {
  /** JSON (`WorkerTool[]`). */
  accepted: string;
  /** JSON (`WorkerTool[]`); null: `accepted`. */
  latest: string | null;
  /** JSON (`Contents`) of the latest catalog. */
  contents: string;
}

/** What the tools of a worker are made from. */
export type OfferedRow = Pick<
  CatalogRow,
  "worker_id" | "accepted_hash" | "accepted" | "names" | "contents" | "contents_hash"
>;

/** Whether what is offered of a worker has changed. */
export type CatalogHashes = Pick<CatalogRow, "worker_id" | "accepted_hash" | "contents_hash">;

const FACTS = [
  "project_id",
  "worker_id",
  "accepted_hash",
  "latest_hash",
  "names",
  "skipped",
  "summary",
  "fetched_at",
  "due_at",
  "failure",
  "failed_at",
  "contents_hash",
] as const;
const ALL = [...FACTS, "accepted", "latest", "contents"] as const;
const FIND = query<CatalogRow>(
  `SELECT ${ALL.join(", ")} FROM worker_catalogs WHERE project_id = ? AND worker_id = ?`,
);
const LIST_FACTS = query<CatalogFacts>(
  `SELECT ${FACTS.join(", ")} FROM worker_catalogs WHERE project_id = ? ORDER BY worker_id`,
);
const FIND_FACTS = query<CatalogFacts>(
  `SELECT ${FACTS.join(", ")} FROM worker_catalogs WHERE project_id = ? AND worker_id = ?`,
);
const LIST_DUE_TIMES = query<Pick<CatalogFacts, "worker_id" | "due_at">>(
  "SELECT worker_id, due_at FROM worker_catalogs WHERE project_id = ?",
);
const LIST_HASHES = query<CatalogHashes>(
  "SELECT worker_id, accepted_hash, contents_hash FROM worker_catalogs WHERE project_id = ?",
);
const OFFERED = "worker_id, accepted_hash, accepted, names, contents, contents_hash";
const LIST_OFFERED = query<OfferedRow>(
  `SELECT ${OFFERED} FROM worker_catalogs WHERE project_id = ? AND accepted_hash <> ''`,
);
const FIND_OFFERED = query<OfferedRow>(
  `SELECT ${OFFERED} FROM worker_catalogs WHERE project_id = ? AND worker_id = ?`,
);
const DELETE = query("DELETE FROM worker_catalogs WHERE project_id = ? AND worker_id = ?");
const MAKE_DUE = query("UPDATE worker_catalogs SET due_at = 0 WHERE project_id = ? AND worker_id = ?");

const put = insertInto<CatalogRow>(
  "worker_catalogs",
  ALL,
  `ON CONFLICT (project_id, worker_id) DO UPDATE SET ${ALL.slice(2)
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}`,
);

export function findCatalog(
  store: Store,
  projectId: string,
  workerId: string,
): Promise<CatalogRow | undefined> {
  return store.get(FIND, projectId, workerId);
}

/** When each catalog of the project should be read again, by worker. */
export async function dueTimes(store: Store, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(LIST_DUE_TIMES, projectId);
  return new Map(rows.map(({ worker_id, due_at }) => [worker_id, due_at]));
}

/** Without the workers whose catalogs have never been read. */
export async function catalogFactsOf(
  store: Store,
  projectId: string,
  workerIds: readonly string[],
): Promise<ReadonlyMap<string, CatalogFacts>> {
  const rows = await Promise.all(workerIds.map((id) => store.get(FIND_FACTS, projectId, id)));
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.worker_id, row] as const])));
}

export function listCatalogHashes(store: Store, projectId: string): Promise<CatalogHashes[]> {
  return store.all(LIST_HASHES, projectId);
}

export function listOffered(store: Store, projectId: string): Promise<OfferedRow[]> {
  return store.all(LIST_OFFERED, projectId);
}

export function findOffered(
  store: Store,
  projectId: string,
  workerId: string,
): Promise<OfferedRow | undefined> {
  return store.get(FIND_OFFERED, projectId, workerId);
}

export function catalogInTransaction(
  projectId: string,
  workerId: string,
): Transaction<CatalogRow | undefined> {
  return get(FIND, projectId, workerId);
}

export function catalogFactsInTransaction(projectId: string): Transaction<CatalogFacts[]> {
  return all(LIST_FACTS, projectId);
}

/** `changes`: whether what is offered differs, so that caches must be emptied. */
export function* putCatalog(row: CatalogRow, changes: boolean): Transaction<void> {
  yield* put(row);
  if (changes) yield* touch("workers");
}

export function* deleteCatalog(projectId: string, workerId: string): Transaction<void> {
  yield* run(DELETE, projectId, workerId);
}

export function* makeCatalogDue(projectId: string, workerId: string): Transaction<void> {
  yield* run(MAKE_DUE, projectId, workerId);
}
