// `Idempotency-Key`: the row is committed before the run; a repeated request waits for the first one and gets its answer. A
// run whose process died is never started again: its outcome is unknown.
import type { Core } from "../core";
import { hashOf, newToken, type Place, sealedColumn } from "../crypto";
import { idempotencyMismatch, invalidParameter, RuntimeError } from "../errors";
import { command, get, insertInto, named, query, run, touch, type Transaction, update } from "../store";

export interface Repeatable {
  projectId: string;
  /** The caller: keys of different callers are independent. */
  credential: string;
  operation: string;
  key: string;
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
}

/** How long answers are stored. */
const KEPT_MS = 10 * 60_000;
const ALIVE_MS = 15_000;
const HEARTBEAT_MS = 5000;

// The project is part of the key and of the encryption context of the answer.
const KEY = ["project_id", "credential", "operation", "key_hash"] as const;
const OWNED = [...KEY, "holder"] as const;
type Owned = Key & Pick<Row, "holder">;

const FIND = named<Key, Row>(
  "SELECT request_hash, holder, alive_until, sealed_answer, expires_at FROM idempotency WHERE " +
    "project_id = :project_id AND credential = :credential AND operation = :operation AND key_hash = :key_hash",
);
const put = insertInto<Row>(
  "idempotency",
  [...OWNED, "request_hash", "alive_until", "sealed_answer", "expires_at"],
  "ON CONFLICT (project_id, credential, operation, key_hash) DO UPDATE SET request_hash = excluded.request_hash, " +
    "holder = excluded.holder, alive_until = excluded.alive_until, sealed_answer = NULL, " +
    "expires_at = excluded.expires_at",
);
const extend = update<Owned & Pick<Row, "alive_until" | "expires_at">>(
  "idempotency",
  ["alive_until", "expires_at"],
  OWNED,
);
const setAnswer = update<Owned & Pick<Row, "sealed_answer" | "expires_at">>(
  "idempotency",
  ["sealed_answer", "expires_at"],
  OWNED,
);
const remove = command<Owned>(
  "DELETE FROM idempotency WHERE project_id = :project_id AND credential = :credential " +
    "AND operation = :operation AND key_hash = :key_hash AND holder = :holder",
);
const PRUNE = query(
  "DELETE FROM idempotency WHERE key_hash IN (SELECT key_hash FROM idempotency WHERE expires_at < ? LIMIT 20) " +
    "AND expires_at < ?",
);

type Begun = { kind: "mine" } | { kind: "answer"; sealed: string } | { kind: "lost" } | { kind: "wait" };

export class Idempotency {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Runs `work` once per key and stores its answer. A `RuntimeError` means that nothing was done and is not stored; neither
   * is an answer that `counts` rejects. `lost` returns the answer for a run with an unknown outcome. Throws
   * `idempotency_mismatch` for another request with the same key.
   */
  async once<T>(
    repeatable: Repeatable,
    work: () => Promise<T>,
    lost: () => T,
    signal?: AbortSignal,
    counts: (answer: T) => boolean = () => true,
  ): Promise<T> {
    checkIdempotencyKey(repeatable.key);
    const holder = newToken(this.#core.random);
    while (true) {
      const generation = await this.#core.store.generation("idempotency");
      const begun = await this.#core.store.write(() => this.#begin(repeatable, holder));
      if (begun.kind === "mine") return this.#work(repeatable, holder, work, counts);
      if (begun.kind === "answer") return this.#open(repeatable, begun.sealed);
      if (begun.kind === "lost" || signal?.aborted) return lost();
      const wait = { timeoutMs: 1000, ...(signal === undefined ? {} : { signal }) };
      await this.#core.store.changed("idempotency", generation, wait);
    }
  }

  *#begin(repeatable: Repeatable, holder: string): Transaction<Begun> {
    const now = this.#core.clock.now();
    const row = yield* get(FIND, ...FIND.values(keyOf(repeatable)));
    const requestHash = hashOf(repeatable.request);
    if (row === undefined || row.expires_at <= now) {
      yield* run(PRUNE, now, now);
      yield* put({
        ...keyOf(repeatable),
        request_hash: requestHash,
        holder,
        alive_until: now + ALIVE_MS,
        sealed_answer: null,
        expires_at: now + KEPT_MS,
      });
      return { kind: "mine" };
    }
    if (row.request_hash !== requestHash) {
      throw idempotencyMismatch("This Idempotency-Key was used for another request. Use a new key.");
    }
    if (row.sealed_answer !== null) return { kind: "answer", sealed: row.sealed_answer };
    return row.alive_until <= now ? { kind: "lost" } : { kind: "wait" };
  }

  async #work<T>(
    repeatable: Repeatable,
    holder: string,
    work: () => Promise<T>,
    counts: (answer: T) => boolean,
  ): Promise<T> {
    const { store, clock } = this.#core;
    const beat = (): void => {
      const now = clock.now();
      store.write(() => keep(repeatable, holder, now, now + ALIVE_MS)).catch(() => undefined);
    };
    const heart = setInterval(beat, HEARTBEAT_MS);
    try {
      const answer = await work();
      if (counts(answer)) await this.#store(repeatable, holder, answer);
      else await store.write(() => forget(repeatable, holder));
      return answer;
    } catch (error) {
      const nothingDone = error instanceof RuntimeError;
      await store.write(() =>
        nothingDone ? forget(repeatable, holder) : abandon(repeatable, holder, clock.now()),
      );
      throw error;
    } finally {
      clearInterval(heart);
    }
  }

  // If the answer cannot be stored, the first caller still gets it, and a repeated request gets the answer for an unknown
  // outcome.
  async #store(repeatable: Repeatable, holder: string, answer: unknown): Promise<void> {
    const { store, clock, log } = this.#core;
    try {
      const text = JSON.stringify(answer);
      const place = placeOf(keyOf(repeatable));
      const sealed = await this.#core.keyring.seal(repeatable.projectId, place, text);
      await store.write(() => remember(repeatable, holder, sealed, clock.now() + KEPT_MS));
    } catch (error) {
      log.error("answer not remembered", { operation: repeatable.operation, error });
      await store.write(() => abandon(repeatable, holder, clock.now())).catch(() => undefined);
    }
  }

  async #open<T>(repeatable: Repeatable, sealed: string): Promise<T> {
    return JSON.parse(
      await this.#core.keyring.open(repeatable.projectId, placeOf(keyOf(repeatable)), sealed),
    );
  }
}

/** Throws `invalid_parameter` for an invalid key. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidParameter("Idempotency-Key must be 1 to 255 printable characters without spaces.");
}

function* remember(repeatable: Repeatable, holder: string, sealed: string, until: number): Transaction<void> {
  yield* setAnswer({ ...keyOf(repeatable), holder, sealed_answer: sealed, expires_at: until });
  yield* touch("idempotency");
}

/** Marks a run as ended with an unknown outcome. */
function* abandon(repeatable: Repeatable, holder: string, now: number): Transaction<void> {
  yield* keep(repeatable, holder, now, now);
  yield* touch("idempotency");
}

function* forget(repeatable: Repeatable, holder: string): Transaction<void> {
  yield* remove({ ...keyOf(repeatable), holder });
  yield* touch("idempotency");
}

function keep(repeatable: Repeatable, holder: string, now: number, aliveUntil: number): Transaction<number> {
  return extend({ ...keyOf(repeatable), holder, alive_until: aliveUntil, expires_at: now + KEPT_MS });
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
