// Leases for work that only one process may do at a time. The fence grows with every lease, and a result is stored only
// under the fence of its lease, so a former holder cannot store anything. A holder changes its row with heartbeats; a lease
// is taken from a holder only if the row was watched and did not change. `expires_at` only tells when an old row is deleted.
import type { Clock, Log } from "../base";
import { DeletionTime } from "./deletion-time";
import { Hold } from "./hold";
import { get, query, run, type Store, touch, type Transaction } from "./port";
import { DEAD_AFTER_MS, HEARTBEAT_MS, Witness } from "./witness";

export interface Lease {
  name: string;
  holder: string;
  fence: number;
}

interface LeaseRow {
  holder: string | null;
  fence: number;
  expires_at: number;
}

const FIND = query<LeaseRow>("SELECT holder, fence, expires_at FROM leases WHERE name = ?");
const TAKE = query(
  "INSERT INTO leases (name, holder, fence, expires_at) VALUES (?, ?, 1, ?) " +
    "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = leases.fence + 1, expires_at = excluded.expires_at",
);
const EXTEND = query("UPDATE leases SET expires_at = ? WHERE name = ? AND holder = ? AND fence = ?");
// Keeps `expires_at`, by which old rows are deleted.
const RELEASE = query("UPDATE leases SET holder = NULL WHERE name = ? AND holder = ? AND fence = ?");
// A lease with a holder stays: after a jump of the clock it looks old although its holder lives.
const SWEEP = query(
  "DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE expires_at < ? AND holder IS NULL " +
    "ORDER BY expires_at LIMIT 20)",
);
const MARK = query(
  "INSERT INTO leases (name, holder, fence, expires_at) VALUES (?, NULL, 1, ?) ON CONFLICT (name) DO NOTHING",
);
const COUNT = query(
  "INSERT INTO leases (name, holder, fence, expires_at) VALUES (?, NULL, 1, ?) " +
    "ON CONFLICT (name) DO UPDATE SET fence = leases.fence + 1, expires_at = excluded.expires_at",
);
const COUNT_BACK = query(
  "UPDATE leases SET fence = fence - 1 WHERE name = ? AND holder IS NULL AND fence > 0",
);
/** How often a waiting process looks at a lease; that it was released is told at once. */
const LOOK_MS = 250;
/** Forgotten ones are taken as those of a dead holder. */
const MOST_UNRELEASED = 1000;
/** A lease that was released this long ago is not needed any more, so its fence may start again. */
const SWEPT_AFTER_MS = 24 * 3_600_000;

/** Takes a free lease, or that of a dead holder, whose row is still in the state `dead`. Undefined: another holder has it. */
export function* takeLease(
  name: string,
  holder: string,
  now: number,
  dead?: string,
): Transaction<Lease | undefined> {
  const row = yield* get(FIND, name);
  if (row !== undefined && row.holder !== null && stateOf(row) !== dead) return undefined;
  yield* run(TAKE, name, holder, now + DEAD_AFTER_MS);
  return { name, holder, fence: (row?.fence ?? 0) + 1 };
}

/** A heartbeat. Returns 0 if the lease was lost. */
export function extendLease({ name, holder, fence }: Lease, now: number): Transaction<number> {
  return run(EXTEND, now + DEAD_AFTER_MS, name, holder, fence);
}

/**
 * Whether a name comes for the first time, in any process. It is remembered until a day after `until`. `time`: what
 * `DeletionTime` says.
 */
export function* isFirst(
  name: string,
  time: Transaction<number | undefined>,
  until: number,
): Transaction<boolean> {
  yield* sweepLeases(yield* time);
  return (yield* run(MARK, name, until)) > 0;
}

/**
 * Counts a use of a name, over all processes. Undefined, and not counted: there were `most` already. The count is remembered
 * until a day after `until`.
 */
export function* countUse(name: string, most: number, until: number): Transaction<number | undefined> {
  const uses = (yield* get(FIND, name))?.fence ?? 0;
  if (uses >= most) return undefined;
  yield* run(COUNT, name, until);
  return uses + 1;
}

/** Takes a use back that has turned out not to count. */
export function* countBack(name: string): Transaction<void> {
  yield* run(COUNT_BACK, name);
}

/** Removes old rows, so that leases of deleted connections do not accumulate. `time`: what `DeletionTime` says. */
export function* sweepLeases(time: number | undefined): Transaction<void> {
  if (time !== undefined) yield* run(SWEEP, time - SWEPT_AFTER_MS);
}

/** Whether the lease is still held. Must run in the transaction that stores the result. */
export function* stillHeld(lease: Lease): Transaction<boolean> {
  const row = yield* get(FIND, lease.name);
  return row !== undefined && row.holder === lease.holder && row.fence === lease.fence;
}

/** Releases a lease and wakes those who wait for it. Does nothing if the lease was lost. */
export function* releaseLease(lease: Lease): Transaction<void> {
  yield* run(RELEASE, lease.name, lease.holder, lease.fence);
  yield* touch("leases");
}

/** A lease of this process. Its heart beats until it is stopped. */
export class HeldLease extends Hold {
  readonly lease: Lease;
  readonly #heart: ReturnType<typeof setInterval>;

  constructor(store: Store, clock: Clock, lease: Lease, taken: number) {
    super(store, clock, () => extendLease(lease, clock.now()), taken);
    this.lease = lease;
    this.#heart = setInterval(() => void this.renew().catch(() => undefined), HEARTBEAT_MS);
    // A process may end although it has not released its lease.
    this.#heart.unref();
  }

  stop(): void {
    clearInterval(this.#heart);
  }
}

/** Leases of one holder, and its view of the others. */
export class Leases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #witness: Witness;
  readonly #deletionTime: DeletionTime;
  /** Leases of this holder that are over, but could not be released: by name, how the state of each begins. */
  readonly #unreleased = new Map<string, string>();

  constructor(store: Store, clock: Clock, holder: string) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
    this.#witness = new Witness(clock);
    this.#deletionTime = new DeletionTime(clock);
  }

  /**
   * The state of a lease that has a holder, which every heartbeat changes, and whether the holder is dead, or is this one and
   * could not release it. Must be called often.
   */
  async look(name: string): Promise<Seen> {
    const row = await this.#store.get(FIND, name);
    if (row === undefined || row.holder === null) return { state: undefined, isDead: false };
    const state = stateOf(row);
    return { state, isDead: this.#isUnreleased(name, state) || this.#witness.isDead(name, state) };
  }

  /**
   * Takes a lease, in the transaction that decides that it is needed. A transaction that had to wait for the lock does not
   * believe that the holder is dead: its heartbeat may have waited as well.
   */
  *take(name: string, { state, isDead }: Seen): Transaction<Taken | undefined> {
    const isOver = isDead && (this.#isUnreleased(name, state) || this.#witness.isCurrent(name));
    const dead = isOver ? state : undefined;
    const at = this.#clock.monotonic();
    const lease = yield* takeLease(name, this.#holder, this.#clock.now(), dead);
    // Only for a new name: the others add no row.
    if (lease?.fence === 1) yield* sweepLeases(yield* this.#deletionTime.now());
    return lease === undefined ? undefined : { lease, at };
  }

  /**
   * Waits until a lease can be taken, and takes it. `mayTake`: asked at each look. Undefined: not within `patienceMs`, which
   * should be longer than it takes to see that a holder is dead.
   */
  async wait(
    name: string,
    patienceMs: number,
    mayTake = (): boolean => true,
  ): Promise<HeldLease | undefined> {
    const end = this.#clock.monotonic() + patienceMs;
    for (;;) {
      const generation = await this.#store.generation("leases");
      const seen = await this.look(name);
      const taken = mayTake() ? await this.#store.write(() => this.take(name, seen)) : undefined;
      if (taken !== undefined) return this.held(taken);
      if (this.#clock.monotonic() >= end) return undefined;
      await this.changed(generation);
    }
  }

  /** Resolves when a lease was released since this generation of leases, or a moment later. */
  changed(generation: number): Promise<void> {
    return this.#store.changed("leases", generation, { timeoutMs: LOOK_MS });
  }

  /** Releases a lease. If this fails, others see after a while that its heart no longer beats; this holder knows it at once. */
  async release(held: HeldLease, log: Log): Promise<void> {
    const { lease } = held;
    held.stop();
    try {
      await this.#store.write(() => releaseLease(lease));
      this.#unreleased.delete(lease.name);
    } catch (error) {
      if (this.#unreleased.size >= MOST_UNRELEASED) this.#unreleased.clear();
      this.#unreleased.set(lease.name, `${lease.holder} ${lease.fence} `);
      log.warn("a lease was not released", { error });
    }
  }

  #isUnreleased(name: string, state: string | undefined): boolean {
    const start = this.#unreleased.get(name);
    return start !== undefined && state?.startsWith(start) === true;
  }

  /** Begins the heartbeats of a lease after the commit of its transaction. */
  held({ lease, at }: Taken): HeldLease {
    return new HeldLease(this.#store, this.#clock, lease, at);
  }
}

export interface Seen {
  /** Undefined: it is free. */
  state: string | undefined;
  isDead: boolean;
}

export interface Taken {
  lease: Lease;
  /** Monotonic time. */
  at: number;
}

/** All that a heartbeat changes. */
function stateOf({ holder, fence, expires_at }: LeaseRow): string {
  return `${holder} ${fence} ${expires_at}`;
}
