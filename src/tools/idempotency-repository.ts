// The rows of `Idempotency-Key`.
import { requireIncarnation } from "../audit";
import { hashOf, type Place, sealedColumn } from "../crypto";
import { idempotencyMismatch, type RuntimeError } from "../errors";
import {
  command,
  DEAD_AFTER_MS,
  get,
  insertInto,
  named,
  nextGeneration,
  type Store,
  touch,
  type Transaction,
  update,
} from "../store";

export interface Repeatable {
  projectId: string;
  /** Of the caller's project. */
  incarnation?: string | undefined;
  /** The caller: keys of different callers are independent. */
  credential: string;
  operation: string;
  key: string;
  /** Whom the answer is about. */
  userId?: string | undefined;
  /** The request, to distinguish a repetition from another request with the same key. */
  request: string;
}

interface Key {
  project_id: string;
  credential: string;
  operation: string;
  key_hash: string;
}

interface Row extends Key {
  request_hash: string;
  holder: string;
  alive_until: number;
  sealed_answer: string | null;
  expires_at: number;
  /** Of the kind `idempotency`, when the row was written; tells how old it is at least. */
  generation: number;
}

/** How long answers are stored. */
export const KEPT_MS = 10 * 60_000;
/** `alive_until` of a run that its own process has given up. */
const GIVEN_UP = 0;
/** A row of which it is not certain how old it is, or whether its holder lives: a clock may have jumped. */
const DOUBTFUL_KEPT_MS = 24 * 3_600_000;

// The project is part of the key and of the encryption context of the answer.
const KEY = ["project_id", "credential", "operation", "key_hash"] as const;
const OWNED = [...KEY, "holder"] as const;
type Owned = Key & Pick<Row, "holder">;

const FIND = named<Key, Row>(
  "SELECT request_hash, holder, alive_until, sealed_answer, expires_at, generation FROM idempotency WHERE " +
    "project_id = :project_id AND credential = :credential AND operation = :operation AND key_hash = :key_hash",
);
const put = insertInto<Row & { user_id: string | null }>(
  "idempotency",
  [...OWNED, "request_hash", "alive_until", "sealed_answer", "expires_at", "generation", "user_id"],
  "ON CONFLICT (project_id, credential, operation, key_hash) DO UPDATE SET request_hash = excluded.request_hash, " +
    "holder = excluded.holder, user_id = excluded.user_id, alive_until = excluded.alive_until, sealed_answer = NULL, " +
    "expires_at = excluded.expires_at, generation = excluded.generation",
);
const IS_OWNED =
  "WHERE project_id = :project_id AND credential = :credential AND operation = :operation AND key_hash = :key_hash " +
  "AND holder = :holder";
const extend = command<Owned & Pick<Row, "alive_until" | "expires_at">>(
  `UPDATE idempotency SET alive_until = :alive_until, expires_at = :expires_at ${IS_OWNED} AND alive_until <> 0`,
);
const setGivenUp = update<Owned & Pick<Row, "alive_until" | "expires_at">>(
  "idempotency",
  ["alive_until", "expires_at"],
  OWNED,
);
const setAnswer = update<Owned & Pick<Row, "sealed_answer" | "expires_at">>(
  "idempotency",
  ["sealed_answer", "expires_at"],
  OWNED,
);
const remove = command<Owned>(`DELETE FROM idempotency ${IS_OWNED}`);
const prune = command<{ now: number; old: number; doubtful: number }>(
  "DELETE FROM idempotency WHERE key_hash IN (SELECT key_hash FROM idempotency WHERE expires_at < :now LIMIT 20) " +
    "AND expires_at < :now AND (expires_at < :doubtful OR " +
    "(generation <= :old AND (sealed_answer IS NOT NULL OR alive_until = 0)))",
);

export type Begun =
  { kind: "mine" } | { kind: "answer"; sealed: string } | { kind: "lost" } | { kind: "wait" };

export interface Beginning {
  holder: string;
  now: number;
  /** Rows expire by this time, in which a jump of the clock does not count. */
  trustedNow: number;
  /** For rows whose age this process cannot tell: it may have started under a clock that is wrong. */
  deletionTime: Transaction<number | undefined>;
  /** Rows of this generation and earlier ones are older than `KEPT_MS`; undefined: this process cannot tell. */
  old: number | undefined;
  /** The state of a row whose holder is dead. */
  dead: string | undefined;
}

export function* begin(repeatable: Repeatable, by: Beginning): Transaction<Begun> {
  const { holder, now, dead } = by;
  yield* requireIncarnation(repeatable);
  const row = yield* get(FIND, ...FIND.values(keyOf(repeatable)));
  const requestHash = hashOf(repeatable.request);
  const isOver = row === undefined || hasEnded(row) || stateOf(row) === dead;
  const doubtful = ((yield* by.deletionTime) ?? -Infinity) - DOUBTFUL_KEPT_MS;
  if (row === undefined || (isOver && hasExpired(row, by, doubtful))) {
    const { trustedNow, old = -1 } = by;
    yield* prune({ now: trustedNow, old, doubtful });
    yield* put({
      ...keyOf(repeatable),
      request_hash: requestHash,
      holder,
      alive_until: now + DEAD_AFTER_MS,
      sealed_answer: null,
      expires_at: now + KEPT_MS,
      generation: yield* nextGeneration("idempotency"),
      user_id: repeatable.userId ?? null,
    });
    yield* touch("idempotency");
    return { kind: "mine" };
  }
  if (row.request_hash !== requestHash) throw otherRequest();
  if (row.sealed_answer !== null) return { kind: "answer", sealed: row.sealed_answer };
  return { kind: isOver ? "lost" : "wait" };
}

/** Another process may have written the row under a clock that was behind, so the time in it is not enough. */
function hasExpired(
  { expires_at, generation }: Row,
  { trustedNow, old }: Beginning,
  doubtful: number,
): boolean {
  const isOld = old === undefined ? expires_at <= doubtful : generation <= old;
  return expires_at <= trustedNow && isOld;
}

export function findRow(store: Store, repeatable: Repeatable): Promise<Row | undefined> {
  return store.get(FIND, ...FIND.values(keyOf(repeatable)));
}

export function* remember(
  repeatable: Repeatable,
  holder: string,
  sealed: string,
  until: number,
): Transaction<void> {
  yield* setAnswer({ ...keyOf(repeatable), holder, sealed_answer: sealed, expires_at: until });
  yield* touch("idempotency");
}

/** Marks a run as ended with an unknown outcome. */
export function* giveUp(repeatable: Repeatable, holder: string, now: number): Transaction<void> {
  yield* setGivenUp({ ...keyOf(repeatable), holder, alive_until: GIVEN_UP, expires_at: now + KEPT_MS });
  yield* touch("idempotency");
}

export function* forget(repeatable: Repeatable, holder: string): Transaction<void> {
  yield* remove({ ...keyOf(repeatable), holder });
  yield* touch("idempotency");
}

export function keep(repeatable: Repeatable, holder: string, now: number): Transaction<number> {
  return extend({
    ...keyOf(repeatable),
    holder,
    alive_until: now + DEAD_AFTER_MS,
    expires_at: now + KEPT_MS,
  });
}

export function hasEnded(row: Row): boolean {
  return row.sealed_answer !== null || row.alive_until === GIVEN_UP;
}

/** All that a heartbeat changes. */
export function stateOf(row: Row): string {
  return `${row.holder} ${row.alive_until} ${row.expires_at}`;
}

export function otherRequest(): RuntimeError {
  return idempotencyMismatch("This Idempotency-Key was used for another request. Use a new key.");
}

/** The place of the sealed answer. Its row names the key. */
export function answerPlace(repeatable: Repeatable): Place {
  return placeOf(keyOf(repeatable));
}

function keyOf({ projectId, credential, operation, key }: Repeatable): Key {
  return { project_id: projectId, credential, operation, key_hash: hashOf(key) };
}

function placeOf(row: { readonly [Column in keyof Key]?: unknown }): Place {
  return { table: "idempotency", row: JSON.stringify(KEY.map((name) => String(row[name]))), field: "answer" };
}

export const sealedAnswers = [
  sealedColumn({ table: "idempotency", column: "sealed_answer", keys: KEY, place: placeOf }),
];
