// Facts about this installation, each a name and a text.
import { query, run, type Store, type Transaction } from "./port";

const FIND = query<{ value: string }>("SELECT value FROM facts WHERE name = ?");
const SET = query(
  "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);
const REMOVE = query("DELETE FROM facts WHERE name = ? AND value = ?");

export function findFact(store: Store, name: string): Promise<{ value: string } | undefined> {
  return store.get(FIND, name);
}

export function* setFact(name: string, value: string): Transaction<void> {
  yield* run(SET, name, value);
}

/** Removes a fact if it still has this value: another process may have set another one in the meantime. */
export function* removeFact(name: string, value: string): Transaction<void> {
  yield* run(REMOVE, name, value);
}
