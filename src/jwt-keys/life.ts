// The life of a key: published before it signs, replaced by age, published until its last token has expired.
import { isFresh } from "../base";
import type { KeyRow, KeyTable, PublishedKey } from "./repository";
import type { Transaction } from "../store";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a key signs before the next one is made. */
export const SIGNS_MS = 30 * DAY_MS;
/** How long a key is published before it signs: longer than verifiers keep the list. */
export const LEAD_MS = DAY_MS;
/** How long a key is published that signs no longer: longer than a token is valid, on clocks that differ. */
export const KEPT_MS = HOUR_MS;

/** A new key, which has no state yet. */
export type NewKey = Omit<KeyRow, "state" | "since" | "created_at">;

const LASTS_MS = { next: LEAD_MS, current: SIGNS_MS, retired: KEPT_MS } as const;

/** Whether there is something to do for the keys of a project. */
export function isDue(keys: readonly Pick<KeyRow, "state" | "since">[], now: number): boolean {
  const hasNext = keys.some(({ state }) => state === "next");
  return (
    !keys.some(({ state }) => state === "current") ||
    keys.some(({ state, since }) => {
      if (since > now) return true;
      // The next one takes its place.
      return !(state === "current" && hasNext) && !isFresh(since, LASTS_MS[state], now);
    })
  );
}

/**
 * Does what is due, as a part of a transaction: several processes may find out at the same time. `made` is used if a key is
 * needed; `lost`: the id of a key that cannot be opened.
 */
export function* advance(
  table: KeyTable,
  made: NewKey,
  now: number,
  lost: string | undefined,
): Transaction<void> {
  const keys: KeyRow[] = [];
  for (const key of yield* table.inTransaction(made.project_id)) {
    const isOver = key.state === "retired" && key.since <= now && !isFresh(key.since, KEPT_MS, now);
    if (isOver || key.id === lost) yield* table.remove(key);
    else keys.push(yield* restarted(table, key, now));
  }
  const current = keys.find(({ state }) => state === "current");
  const next = keys.find(({ state }) => state === "next");
  const add = (state: "current" | "next") => table.add({ ...made, state, since: now, created_at: now });
  if (current === undefined) {
    if (next === undefined) yield* add("current");
    else yield* table.changeState(next, "current", now);
  } else if (next !== undefined && !isFresh(next.since, LEAD_MS, now)) {
    yield* table.changeState(current, "retired", now);
    yield* table.changeState(next, "current", now);
  } else if (next === undefined && !isFresh(current.since, SIGNS_MS, now)) {
    yield* add("next");
  }
}

/** If the clock was set back, nothing is known of the age of a key: its state begins again. */
function* restarted(table: KeyTable, key: KeyRow, now: number): Transaction<KeyRow> {
  if (key.since <= now) return key;
  yield* table.changeState(key, key.state, now);
  return { ...key, since: now };
}

/** Puts a new key in the place of all others, whose tokens are refused as soon as verifiers read the list again. */
export function* replaceAll(table: KeyTable, made: NewKey, now: number): Transaction<string[]> {
  const keys = yield* table.inTransaction(made.project_id);
  for (const key of keys) yield* table.remove(key);
  yield* table.add({ ...made, state: "current", since: now, created_at: now });
  return keys.map(({ id }) => id);
}

/** Whether verifiers get the key. */
export function isPublished({ state, since }: PublishedKey, now: number): boolean {
  return state !== "retired" || since > now || isFresh(since, KEPT_MS, now);
}
