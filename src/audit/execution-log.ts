// The execution log and the times of last use, in a separate database, written after the answer.
import type { Clock, Log } from "../base";
import {
  CachedByGeneration,
  DeletionTime,
  erase,
  insertInto,
  type Kind,
  query,
  run,
  send,
  type Store,
  touch,
  type Transaction,
} from "../store";
import { rememberErasure, withoutErased } from "./erased-users";

export interface ExecutionEntry {
  id: string;
  executionId: string;
  projectId: string;
  /** Of the caller's project, which may have been deleted meanwhile. */
  incarnation: string;
  userId: string;
  actor: string;
  /** Fully qualified name. */
  tool: string;
  status: "completed" | "failed";
  errorKind: string | null;
  durationMs: number;
  /** The decisions of hooks, in the order of the calls. */
  decisions?: readonly Decision[];
}

/** The decision of one hook about a run. Contains no value of the run. */
export interface Decision {
  hookId: string;
  point: string;
  decision: string;
  reason?: string;
  durationMs: number;
}

type UsedKind = "key" | "secret" | "workload";

// An entry is written again if its commit seemed to fail.
const add = insertInto<ReturnType<typeof rowOf>>(
  "executions",
  [
    "id",
    "execution_id",
    "project_id",
    "incarnation",
    "user_id",
    "actor",
    "tool",
    "status",
    "error_kind",
    "duration_ms",
    "created_at",
    "decisions",
  ],
  "ON CONFLICT (id) DO NOTHING",
);
const ERASE_USER = query("DELETE FROM executions WHERE project_id = ? AND (user_id = ? OR actor = ?)");
const STAMP = query(
  "INSERT INTO last_used (kind, id, at) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at",
);
const LAST_USED = query<{ at: number }>("SELECT at FROM last_used WHERE kind = ? AND id = ?");
// The table is ordered by age, across projects. An entry whose time is wrongly in the future keeps those after it.
const PRUNE = query(
  "DELETE FROM executions WHERE rowid IN (SELECT rowid FROM executions ORDER BY rowid LIMIT ?) AND created_at < ?",
);
/** Rows to check in addition to two per added entry, so that the log shrinks to its limit. */
const PRUNE_AT_LEAST = 20;
/** The generations (in the log database) that a time of last use raises. */
const STAMPED: Record<UsedKind, Kind> = { key: "keys", secret: "secrets", workload: "keys" };
const NEVER = -Infinity;
const DAY_MS = 24 * 3600_000;
const STAMP_EVERY_MS = 60_000;
/** How long entries are collected: a commit for each would cost more than the run itself. */
const FLUSH_EVERY_MS = 10;
/** The longest pause after a failure. */
const LONGEST_PAUSE_MS = 5000;
/** Entries that wait because they could not be written. */
const MAX_WAITING = 10_000;
/** How long a stop tries to write. */
const STOP_MS = 2000;

export class ExecutionLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #keepMs: number;
  readonly #stamped: Record<UsedKind, Map<string, number>> = {
    key: new Map(),
    secret: new Map(),
    workload: new Map(),
  };
  /** The stored times, cached until a process writes a new one. */
  readonly #stored: Record<UsedKind, CachedByGeneration<string, number>>;
  #entries: Added[] = [];
  #stamps: Stamp[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The pause before the next flush, ms. */
  #pause = FLUSH_EVERY_MS;
  #dropped = 0;
  #isClosed = false;
  readonly #deletionTime: DeletionTime;
  #written: Promise<void> = Promise.resolve();

  /** `keepDays`: older entries are deleted when new ones are added; 0: never. */
  constructor({ store, clock, log, keepDays }: { store: Store; clock: Clock; log: Log; keepDays: number }) {
    this.#store = store;
    this.#keepMs = keepDays === 0 ? Infinity : keepDays * DAY_MS;
    this.#clock = clock;
    this.#deletionTime = new DeletionTime(clock);
    this.#log = log;
    this.#stored = {
      key: new CachedByGeneration(store, STAMPED.key),
      secret: new CachedByGeneration(store, STAMPED.secret),
      workload: new CachedByGeneration(store, STAMPED.workload),
    };
  }

  /** Entries that are not written yet. */
  get unwritten(): number {
    return this.#entries.length;
  }

  add(entry: ExecutionEntry): void {
    this.#entries.push({ entry, now: this.#clock.now() });
    this.#bound();
    this.#later();
  }

  /** Records the use of a key or secret, at most once a minute. */
  used(kind: UsedKind, id: string): void {
    const now = this.#clock.now();
    const stamped = this.#stamped[kind];
    if (now - (stamped.get(id) ?? NEVER) < STAMP_EVERY_MS) return;
    stamped.set(id, now);
    this.#stamps.push({ kind, id, now });
    this.#later();
  }

  /** The time of last use, whether stored already or not. */
  async lastUsed(kind: UsedKind, id: string): Promise<number | undefined> {
    const stored = await this.#stored[kind].get(id, (of) => this.#load(kind, of));
    const newest = Math.max(stored, this.#stamped[kind].get(id) ?? NEVER);
    return newest === NEVER ? undefined : newest;
  }

  async #load(kind: UsedKind, id: string): Promise<number> {
    return (await this.#store.get(LAST_USED, kind, id))?.at ?? NEVER;
  }

  /** Writes what is pending. What cannot be written is written later. */
  flush(): Promise<void> {
    if (this.#entries.length + this.#stamps.length === 0) return this.#written;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [entries, stamps] = [this.#entries, this.#stamps];
    this.#entries = [];
    this.#stamps = [];
    const written = this.#store
      .write(() => addAll(entries, stamps, this.#deletionTime.now(), this.#keepMs))
      .then(
        () => this.#hasWritten(),
        (error: unknown) => {
          this.#entries = [...entries, ...this.#entries];
          this.#stamps = [...stamps, ...this.#stamps];
          this.#bound();
          this.#hasFailed(error);
        },
      );
    // Readers of the log also wait for earlier writes.
    this.#written = this.#written.then(() => written);
    return this.#written;
  }

  /** Deletes all entries of a user. Calls in progress add none afterwards. Returns how many there were. */
  async eraseUser(projectId: string, userId: string): Promise<number> {
    await this.flush();
    const now = this.#clock.now();
    return this.#store.write(function* () {
      yield* erase();
      yield* rememberErasure({ projectId, userId }, now);
      return yield* run(ERASE_USER, projectId, userId, `user:${userId}`);
    });
  }

  /** Writes what is pending, and tries for a few seconds if that fails. */
  async close(): Promise<void> {
    const end = performance.now() + STOP_MS;
    await this.flush();
    while (this.#entries.length > 0 && performance.now() < end) {
      await this.#clock.sleep(FLUSH_EVERY_MS * 5);
      await this.flush();
    }
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const lost = this.#dropped + this.#entries.length;
    if (lost > 0) this.#log.warn("execution log entries dropped", { count: lost });
  }

  #hasWritten(): void {
    this.#pause = FLUSH_EVERY_MS;
    if (this.#dropped > 0) this.#log.warn("execution log entries dropped", { count: this.#dropped });
    this.#dropped = 0;
  }

  #hasFailed(error: unknown): void {
    // A database that stays broken must not fill the log.
    if (this.#pause === FLUSH_EVERY_MS) this.#log.warn("execution log not written", { error });
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
    this.#later();
  }

  #bound(): void {
    const excess = this.#entries.length - MAX_WAITING;
    if (excess > 0) {
      this.#entries.splice(0, excess);
      this.#dropped += excess;
    }
    if (this.#stamps.length > MAX_WAITING) this.#stamps.splice(0, this.#stamps.length - MAX_WAITING);
  }

  #later(): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), this.#pause);
  }
}

interface Added {
  entry: ExecutionEntry;
  now: number;
}

interface Stamp {
  kind: UsedKind;
  id: string;
  now: number;
}

/** Adds entries and deletes some that are older than `keepMs`. */
function* addAll(
  entries: readonly Added[],
  stamps: readonly Stamp[],
  time: Transaction<number | undefined>,
  keepMs: number,
): Transaction<void> {
  const now = entries.length > 0 ? yield* time : undefined;
  if (now !== undefined && keepMs < Infinity)
    yield* send(PRUNE, 2 * entries.length + PRUNE_AT_LEAST, now - keepMs);
  for (const added of yield* withoutErased(entries, now)) yield* add(rowOf(added));
  for (const { kind, id, now } of stamps) yield* send(STAMP, kind, id, now);
  for (const kind of new Set(stamps.map((stamp) => STAMPED[stamp.kind]))) yield* touch(kind);
}

function rowOf({ entry, now }: Added) {
  return {
    id: entry.id,
    execution_id: entry.executionId,
    project_id: entry.projectId,
    incarnation: entry.incarnation,
    user_id: entry.userId,
    actor: entry.actor,
    tool: entry.tool,
    status: entry.status,
    error_kind: entry.errorKind,
    duration_ms: entry.durationMs,
    created_at: now,
    decisions: entry.decisions?.length ? JSON.stringify(entry.decisions.map(decisionRecord)) : null,
  };
}

function decisionRecord({ hookId, point, decision, reason, durationMs }: Decision) {
  // JSON omits an undefined reason.
  return { hook_id: hookId, hook_point: point, decision, reason, duration_ms: durationMs };
}
