// SQL of the audit trail.
import {
  all,
  type ClosedDatabase,
  get,
  getKept,
  insertInto,
  named,
  putKept,
  query,
  type Reader,
  run,
  send,
  type Store,
  type Transaction,
} from "../store";
import type { ChainedRow } from "./chain";

const add = insertInto<{ [Column in keyof ChainedRow]: ChainedRow[Column] }>("audit", [
  "project_id",
  "id",
  "number",
  "incarnation",
  "actor",
  "action",
  "target",
  "result",
  "address",
  "details",
  "created_at",
  "hash",
]);

/** The end of a chain. */
export interface Head {
  number: number;
  hash: string;
  newest_id: string;
}

const HEAD = query<Head>("SELECT number, hash, newest_id FROM audit_heads WHERE project_id = ?");
const PUT_HEAD = named<Head & { project_id: string }>(
  "INSERT INTO audit_heads (project_id, number, hash, newest_id) VALUES (:project_id, :number, :hash, :newest_id) " +
    "ON CONFLICT (project_id) DO UPDATE SET number = excluded.number, hash = excluded.hash, newest_id = excluded.newest_id",
);

/** Adds a row to the end of its chain. */
export function* addAuditRow(row: ChainedRow): Transaction<void> {
  yield* add(row);
  const { project_id, number, hash, id } = row;
  const head: Head = { number, hash, newest_id: id };
  yield* putKept(
    { find: HEAD, id: project_id, row: head },
    PUT_HEAD,
    PUT_HEAD.values({ project_id, ...head }),
  );
}

const HEADS = query<Head & { project_id: string }>(
  "SELECT project_id, number, hash, newest_id FROM audit_heads ORDER BY project_id",
);

/** The end of a chain; undefined if it has no row. */
export function headInTransaction(chain: string): Transaction<Head | undefined> {
  return getKept(HEAD, chain);
}

const HASH_OF = query<{ hash: string }>("SELECT hash FROM audit WHERE project_id = ? AND id = ?");

/** Whether a row is in its chain, or will be with this transaction. */
export function* isEntered({ project_id, id, hash }: ChainedRow): Transaction<boolean> {
  return (yield* get(HASH_OF, project_id, id))?.hash === hash;
}

export function findHead(store: Reader, chain: string): Promise<Head | undefined> {
  return store.get(HEAD, chain);
}

/** The ends of all chains in a copy of the database. */
export function headsIn(copy: ClosedDatabase): { chain: string; number: number; hash: string }[] {
  return copy.all(HEADS).map(({ project_id, number, hash }) => ({ chain: project_id, number, hash }));
}

export function listHeads(store: Reader): Promise<(Head & { project_id: string })[]> {
  return store.all(HEADS);
}

/** An entry with its number and hash, as it is listed. */
export type StoredAuditRow = Omit<ChainedRow, "project_id" | "incarnation">;

/** A window of the trail, newest first; an empty text means "any". Ids sort by the order of the commits. */
export interface AuditWindow {
  actor: string;
  action: string;
  target: string;
  /** Only older entries than this one. */
  beforeId: string;
  /** Only newer entries than this one. */
  afterId: string;
  limit: number;
}

const LISTED = "id, number, actor, action, target, result, address, details, created_at, hash";
const FILTER =
  "(:actor = '' OR actor = :actor) AND (:action = '' OR SUBSTR(action, 1, LENGTH(:action)) = :action) " +
  "AND (:target = '' OR target = :target) AND id < :beforeId AND id > :afterId";
const LIST_TEXT = `SELECT ${LISTED} FROM audit WHERE project_id = :projectId AND incarnation = :incarnation AND ${FILTER}`;
const NEWEST_FIRST = named<AuditWindow & ProjectPart, StoredAuditRow>(
  `${LIST_TEXT} ORDER BY id DESC LIMIT :limit`,
);
const OLDEST_FIRST = named<AuditWindow & ProjectPart, StoredAuditRow>(
  `${LIST_TEXT} ORDER BY id LIMIT :limit`,
);
const NAMING = named<ProjectPart & { actor: string; pseudonym: string }, StoredAuditRow>(
  `SELECT ${LISTED} FROM audit WHERE project_id = :projectId AND incarnation = :incarnation ` +
    "AND (actor = :actor OR INSTR(details, :pseudonym) > 0) ORDER BY id",
);
const FIND = named<ProjectPart & { id: string }, { id: string }>(
  "SELECT id FROM audit WHERE project_id = :projectId AND incarnation = :incarnation AND id = :id",
);
const NEWEST_TIME = named<ProjectPart, { created_at: number }>(
  "SELECT created_at FROM audit WHERE project_id = :projectId AND incarnation = :incarnation ORDER BY id DESC LIMIT 1",
);

/** A project, not an earlier one with the same id. Both empty: the installation. */
export interface ProjectPart {
  projectId: string;
  incarnation: string;
}

export function listAudit(
  store: Store,
  project: ProjectPart,
  window: AuditWindow,
  order: "newest" | "oldest",
): Promise<StoredAuditRow[]> {
  const statement = order === "newest" ? NEWEST_FIRST : OLDEST_FIRST;
  return store.all(statement, ...statement.values({ ...window, ...project }));
}

export async function hasAuditEntry(store: Store, project: ProjectPart, id: string): Promise<boolean> {
  return (await store.get(FIND, ...FIND.values({ ...project, id }))) !== undefined;
}

export async function newestAuditTime(store: Store, project: ProjectPart): Promise<number | undefined> {
  return (await store.get(NEWEST_TIME, ...NEWEST_TIME.values(project)))?.created_at;
}

const CHAIN = query<ChainedRow>(
  "SELECT project_id, id, number, incarnation, actor, action, target, result, address, details, created_at, hash " +
    "FROM audit WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?",
);
// Chains by their rows, in steps over the index.
const NEXT_CHAIN = query<{ project_id: string }>(
  "SELECT project_id FROM audit WHERE project_id > ? ORDER BY project_id LIMIT 1",
);
const FIRST_CHAIN = query<{ project_id: string }>("SELECT project_id FROM audit ORDER BY project_id LIMIT 1");

/** Rows of a chain in its order, after the id `after`. */
export function chainRows(store: Reader, chain: string, after: string, limit: number): Promise<ChainedRow[]> {
  return store.all(CHAIN, chain, after, limit);
}

export function chainRowsInTransaction(chain: string, limit: number): Transaction<ChainedRow[]> {
  return all(CHAIN, chain, "", limit);
}

/** The chains that have rows. */
export async function chainsWithRows(store: Reader): Promise<string[]> {
  const chains: string[] = [];
  let next = await store.get(FIRST_CHAIN);
  while (next !== undefined) {
    chains.push(next.project_id);
    next = await store.get(NEXT_CHAIN, next.project_id);
  }
  return chains;
}

/** Where a chain begins after retention has removed its first rows: the last row that was removed, signed. */
export interface CheckpointRow {
  project_id: string;
  number: number;
  hash: string;
  /** When the rows were removed. */
  created_at: number;
  key_id: string;
  signature: string;
}

const CHECKPOINT = query<CheckpointRow>(
  "SELECT project_id, number, hash, created_at, key_id, signature FROM audit_checkpoints WHERE project_id = ?",
);
const CHECKPOINTS = query<CheckpointRow>(
  "SELECT project_id, number, hash, created_at, key_id, signature FROM audit_checkpoints ORDER BY project_id",
);
const putCheckpoint = insertInto<{ [Column in keyof CheckpointRow]: CheckpointRow[Column] }>(
  "audit_checkpoints",
  ["project_id", "number", "hash", "created_at", "key_id", "signature"],
  "ON CONFLICT (project_id) DO UPDATE SET number = excluded.number, hash = excluded.hash, " +
    "created_at = excluded.created_at, key_id = excluded.key_id, signature = excluded.signature",
);
const REMOVE_UP_TO = query("DELETE FROM audit WHERE project_id = ? AND id <= ?");

export function findCheckpoint(store: Reader, chain: string): Promise<CheckpointRow | undefined> {
  return store.get(CHECKPOINT, chain);
}

export function listCheckpoints(store: Reader): Promise<CheckpointRow[]> {
  return store.all(CHECKPOINTS);
}

/** Removes the first rows of a chain up to this id, and stores where the chain begins now. */
export function* removePrefix(lastId: string, checkpoint: CheckpointRow): Transaction<void> {
  yield* send(REMOVE_UP_TO, checkpoint.project_id, lastId);
  yield* putCheckpoint(checkpoint);
}

const PSEUDONYM = query<{ pseudonym: string }>(
  "SELECT pseudonym FROM audit_people WHERE project_id = ? AND user_id = ?",
);
const PERSON = query<{ user_id: string }>(
  "SELECT user_id FROM audit_people WHERE pseudonym = ? AND project_id = ?",
);
const ADD_PERSON = query("INSERT INTO audit_people (pseudonym, project_id, user_id) VALUES (?, ?, ?)");
const FORGET_PERSON = query("DELETE FROM audit_people WHERE project_id = ? AND user_id = ?");
const FORGET_PEOPLE = query("DELETE FROM audit_people WHERE project_id = ?");

export function pseudonymInTransaction(
  chain: string,
  userId: string,
): Transaction<{ pseudonym: string } | undefined> {
  return get(PSEUDONYM, chain, userId);
}

export async function findPseudonym(
  store: Store,
  chain: string,
  userId: string,
): Promise<string | undefined> {
  return (await store.get(PSEUDONYM, chain, userId))?.pseudonym;
}

/** The user with this pseudonym; undefined: none, or the user was erased. */
export async function findPerson(
  store: Store,
  chain: string,
  pseudonym: string,
): Promise<string | undefined> {
  return (await store.get(PERSON, pseudonym, chain))?.user_id;
}

/** Entries that name a pseudonym, oldest first. */
export function entriesNaming(
  store: Store,
  project: ProjectPart,
  pseudonym: string,
): Promise<StoredAuditRow[]> {
  return store.all(NAMING, ...NAMING.values({ ...project, actor: `user:${pseudonym}`, pseudonym }));
}

export function addPerson(pseudonym: string, chain: string, userId: string): Transaction<number> {
  return run(ADD_PERSON, pseudonym, chain, userId);
}

/** Returns how many mappings were deleted. */
export function forgetPerson(chain: string, userId: string): Transaction<number> {
  return run(FORGET_PERSON, chain, userId);
}

/** Deletes the mappings of all users of a project. */
export function forgetPeople(chain: string): Transaction<number> {
  return run(FORGET_PEOPLE, chain);
}
