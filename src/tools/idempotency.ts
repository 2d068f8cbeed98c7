// `Idempotency-Key`: the row is committed before the run, a repeat waits for the first and gets its answer. A run whose
// process died is never started again: its outcome is unknown.
import type { Core } from "../core";
import { hashOf, newToken, sealedColumn } from "../crypto";
import { idempotencyMismatch, invalidParameter, RuntimeError } from "../errors";
import { get, query, run, touch, type Transaction } from "../store";

export interface Repeatable {
  projectId: string;
  /** Who sent it: keys of different callers never meet. */
  credential: string;
  operation: string;
  key: string;
  /** The request, to tell a repeat from another request under the same key. */
  request: string;
}

interface Row {
  request_hash: string;
  holder: string;
  alive_until: number;
  sealed_answer: string | null;
  expires_at: number;
}

/** How long answers are kept. */
const KEPT_MS = 10 * 60_000;
const ALIVE_MS = 15_000;
const HEARTBEAT_MS = 5000;

const FIND = query<Row>(
  "SELECT request_hash, holder, alive_until, sealed_answer, expires_at FROM idempotency " +
    "WHERE project_id = ? AND credential = ? AND operation = ? AND key_hash = ?",
);
const PUT = query(
  "INSERT INTO idempotency (project_id, credential, operation, key_hash, request_hash, holder, alive_until, " +
    "sealed_answer, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?) " +
    "ON CONFLICT (project_id, credential, operation, key_hash) DO UPDATE SET request_hash = excluded.request_hash, " +
    "holder = excluded.holder, alive_until = excluded.alive_until, sealed_answer = NULL, " +
    "expires_at = excluded.expires_at",
);
const BEAT = query(
  "UPDATE idempotency SET alive_until = ?, expires_at = ? " +
    "WHERE project_id = ? AND credential = ? AND operation = ? AND key_hash = ? AND holder = ?",
);
const ANSWER = query(
  "UPDATE idempotency SET sealed_answer = ?, expires_at = ? " +
    "WHERE project_id = ? AND credential = ? AND operation = ? AND key_hash = ? AND holder = ?",
);
const FORGET = query(
  "DELETE FROM idempotency " +
    "WHERE project_id = ? AND credential = ? AND operation = ? AND key_hash = ? AND holder = ?",
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
   * Runs `work` once per key and remembers what it returns. A `RuntimeError` that it throws is not remembered: it says
   * that nothing was done; nor is an answer that does not count by `counts`. `lost` makes the answer for a run whose
   * outcome nobody knows. Throws `idempotency_mismatch` for another request under the key.
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
    const row = yield* get(FIND, ...keyOf(repeatable));
    const requestHash = hashOf(repeatable.request);
    if (row === undefined || row.expires_at <= now) {
      yield* run(PRUNE, now, now);
      yield* run(PUT, ...keyOf(repeatable), requestHash, holder, now + ALIVE_MS, now + KEPT_MS);
      return { kind: "mine" };
    }
    if (row.request_hash !== requestHash) {
      throw idempotencyMismatch("This Idempotency-Key was used for another request. Take a new key.");
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
      store
        .write(() => run(BEAT, now + ALIVE_MS, now + KEPT_MS, ...keyOf(repeatable), holder))
        .catch(() => undefined);
    };
    const heart = setInterval(beat, HEARTBEAT_MS);
    try {
      const answer = await work();
      if (counts(answer)) await this.#remember(repeatable, holder, answer);
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

  // What was done stays done: an answer that cannot be remembered still goes to who asked first, and a repeat learns
  // that the outcome is unknown.
  async #remember(repeatable: Repeatable, holder: string, answer: unknown): Promise<void> {
    const { store, clock, log } = this.#core;
    try {
      const text = JSON.stringify(answer);
      const sealed = await this.#core.keyring.seal(repeatable.projectId, placeOf(repeatable), text);
      await store.write(() => remember(repeatable, holder, sealed, clock.now() + KEPT_MS));
    } catch (error) {
      log.error("answer not remembered", { operation: repeatable.operation, error });
      await store.write(() => abandon(repeatable, holder, clock.now())).catch(() => undefined);
    }
  }

  async #open<T>(repeatable: Repeatable, sealed: string): Promise<T> {
    return JSON.parse(await this.#core.keyring.open(repeatable.projectId, placeOf(repeatable), sealed));
  }
}

/** Throws `invalid_parameter` for what is no key. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidParameter("Idempotency-Key must be 1 to 255 printable characters without spaces.");
}

function* remember(repeatable: Repeatable, holder: string, sealed: string, until: number): Transaction<void> {
  yield* run(ANSWER, sealed, until, ...keyOf(repeatable), holder);
  yield* touch("idempotency");
}

/** Nobody works on it any more, and nobody knows how far it came. */
function* abandon(repeatable: Repeatable, holder: string, now: number): Transaction<void> {
  yield* run(BEAT, now, now + KEPT_MS, ...keyOf(repeatable), holder);
  yield* touch("idempotency");
}

function* forget(repeatable: Repeatable, holder: string): Transaction<void> {
  yield* run(FORGET, ...keyOf(repeatable), holder);
  yield* touch("idempotency");
}

function keyOf({ projectId, credential, operation, key }: Repeatable): [string, string, string, string] {
  return [projectId, credential, operation, hashOf(key)];
}

function placeOf(repeatable: Repeatable): { table: string; row: string; field: string } {
  return placeOfKey(keyOf(repeatable));
}

function placeOfKey(key: readonly string[]): { table: string; row: string; field: string } {
  return { table: "idempotency", row: JSON.stringify(key), field: "answer" };
}

// The project is part of the place, but not of the keys: every look-up names it by itself.
const KEYS = ["project_id", "credential", "operation", "key_hash"];

export const sealedAnswers = [
  sealedColumn({
    table: "idempotency",
    column: "sealed_answer",
    keys: KEYS,
    place: (row) => placeOfKey(KEYS.map((key) => String(row[key]))),
  }),
];
