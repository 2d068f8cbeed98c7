// Facts about this installation, each a name and a text.
import { query, run, type Store, type Transaction } from "./port";

const FIND = query<{ value: string }>("SELECT value FROM facts WHERE name = ?");
const SET = query(
  "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);

export function findFact(store: Store, name: string): Promise<{ value: string } | undefined> {
  return store.get(FIND, name);
}

export function* setFact(name: string, value: string): Transaction<void> {
  yield* run(SET, name, value);
}
