// Which users were erased lately: a call that was in progress then, in any process, must not add its entry to the execution log
// afterwards. Erasures have numbers, because the clocks of servers differ: a call notes the number of the latest one when it
// begins, and the database of the log has, for a day, the number of the erasure of each user, by a digest. No call takes so long.
import { netstrings } from "../base";
import { hashOf } from "../crypto";
import {
  CachedByGeneration,
  fact,
  get,
  type Kind,
  query,
  type Reader,
  run,
  setFact,
  type Store,
  touch,
  type Transaction,
} from "../store";

/** The fact with the number of the latest erasure. It is in the main database, with what is erased. */
const LATEST = "latest erasure";
/** Every call asks for its generation anyway, and every erasure raises it. */
const KIND: Kind = "suspensions";
const FIND_LATEST = query<{ value: string }>("SELECT value FROM facts WHERE name = ?");

const ADD = query(
  "INSERT INTO last_used (kind, id, at) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at",
);
const KNOWN = query<{ oldest: number | null; latest: number | null }>(
  "SELECT MIN(CASE kind WHEN 'erasure' THEN at END) AS oldest, MAX(CASE kind WHEN 'erasure number' THEN at END) AS latest " +
    "FROM last_used WHERE kind IN ('erasure', 'erasure number')",
);
const NUMBER_OF = query<{ at: number }>("SELECT at FROM last_used WHERE kind = 'erasure number' AND id = ?");
const FORGET_NUMBERS = query(
  "DELETE FROM last_used WHERE kind = 'erasure number' AND id IN " +
    "(SELECT id FROM last_used WHERE kind = 'erasure' AND at < ?)",
);
const FORGET = query("DELETE FROM last_used WHERE kind = 'erasure' AND at < ?");
const DAY_MS = 24 * 3600_000;

interface Named {
  projectId: string;
  userId: string;
}

/** An entry, and the number of the latest erasure when its call began. */
interface Begun {
  entry: Named & { erasure: number };
}

/** The number of the latest erasure, of whichever user. */
export class Erasures {
  readonly #store: Store;
  readonly #latest: CachedByGeneration<string, number>;

  /** `store`: the main database. */
  constructor(store: Store) {
    this.#store = store;
    this.#latest = new CachedByGeneration(store, KIND);
  }

  /** A call asks for it before it does anything else. */
  async latest(): Promise<number> {
    return this.#latest.get(LATEST, this.#load);
  }

  readonly #load = async (name: string): Promise<number> =>
    Number((await this.#store.get(FIND_LATEST, name))?.value ?? 0);
}

/** The number of a new erasure, in the transaction that erases. */
export function* countErasure(): Transaction<number> {
  const number = Number((yield* fact(LATEST)) ?? 0) + 1;
  yield* setFact(LATEST, String(number));
  yield* touch(KIND);
  return number;
}

/** Remembers an erasure in the database of the log. */
export function* rememberErasure(user: Named, number: number, now: number): Transaction<void> {
  const id = digestOf(user);
  yield* run(ADD, "erasure", id, now);
  yield* run(ADD, "erasure number", id, number);
}

/** Whether the user was erased after the erasure with this number, as far as the log has been told. */
export async function wasErasedAfter(log: Reader, user: Named, number: number): Promise<boolean> {
  return ((await log.get(NUMBER_OF, digestOf(user)))?.at ?? 0) > number;
}

/**
 * The entries that may be stored: all except those of calls that began before their user was erased. `now`: undefined while no
 * clock is believed.
 */
export function* withoutErased<E extends Begun>(
  entries: readonly E[],
  now: number | undefined,
): Transaction<readonly E[]> {
  const { oldest, latest } = (yield* get(KNOWN)) ?? { oldest: null, latest: null };
  const kept: E[] = [];
  for (const added of entries) {
    const { erasure } = added.entry;
    const isOlder = latest !== null && erasure < latest;
    const number = isOlder ? ((yield* get(NUMBER_OF, digestOf(added.entry)))?.at ?? 0) : 0;
    if (number <= erasure) kept.push(added);
  }
  if (oldest !== null && now !== undefined && oldest < now - DAY_MS) {
    yield* run(FORGET_NUMBERS, now - DAY_MS);
    yield* run(FORGET, now - DAY_MS);
  }
  return kept;
}

function digestOf({ projectId, userId }: Named): string {
  return hashOf(netstrings(["erasure", projectId, userId]));
}
