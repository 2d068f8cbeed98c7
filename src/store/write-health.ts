// Whether writes reach the database. A write that waits for the lock is normal for a moment; one that has waited for
// seconds, and a commit that failed, are reported by health until a commit succeeds.
import { unavailable } from "../errors";
import { query, run, type Transaction, Unwritable } from "./port";

const MAKE_ROOM_TABLE = query("CREATE TABLE IF NOT EXISTS room (value TEXT NOT NULL) STRICT");
const FILL_ROOM = query("INSERT INTO room (value) VALUES (?)");
const DROP_ROOM_TABLE = query("DROP TABLE IF EXISTS room");
const ROOM_BYTES = 128 * 1024;

/** How long a write may wait before the database counts as not writable. */
const STALLED_MS = 5000;
/** How long a check waits for its own test write. */
const TEST_MS = 250;

export class WriteHealth {
  /** Since when no write has succeeded although one was tried (`performance.now`). */
  #since: number | undefined;
  /** Why the last commit failed; undefined while writes only wait for the lock. */
  #failure: unknown;
  #testing: Promise<void> | undefined;

  /** A write that was requested at `since` cannot begin because another process has the lock. */
  waits(since: number): void {
    this.#since ??= since;
  }

  failed(error: unknown): void {
    this.#since ??= performance.now();
    this.#failure = error;
  }

  succeeded(): void {
    this.#since = undefined;
    this.#failure = undefined;
  }

  /** Resolves if writes succeed or have only waited for a moment. Throws `Unwritable`. `test` writes something. */
  async check(test: () => Promise<void>): Promise<void> {
    if (this.#isWell()) return;
    // The lock or the disk may be free again, but nothing may have been written since.
    this.#testing ??= test()
      .catch(() => undefined)
      .finally(() => (this.#testing = undefined));
    await Promise.race([this.#testing, Bun.sleep(TEST_MS)]);
    if (this.#isWell()) return;
    const forMs = performance.now() - (this.#since ?? 0);
    if (this.#failure !== undefined)
      throw new Unwritable("The database has refused writes", forMs, this.#failure);
    const cause = unavailable("Another process has the write lock.");
    throw new Unwritable("Writes have waited for another process to release the database", forMs, cause);
  }

  #isWell(): boolean {
    if (this.#failure !== undefined) return false;
    return this.#since === undefined || performance.now() - this.#since <= STALLED_MS;
  }
}

// Writes as much as an ordinary write. Even on a full disk one or two pages fit into the log, but the next secret would not.
// Two transactions, because pages that one transaction allocates and frees are never written.
export function* takeRoom(): Transaction<void> {
  yield* run(MAKE_ROOM_TABLE);
  yield* run(FILL_ROOM, "x".repeat(ROOM_BYTES));
}

export function* giveRoom(): Transaction<void> {
  yield* run(DROP_ROOM_TABLE);
}
