// Facts about this installation, each a name and a text.
import { get, query, run, type Transaction } from "./port";

const FIND = query<{ value: string }>("SELECT value FROM facts WHERE name = ?");
/** Its parameters: a name and a text. */
export const SET_FACT = query(
  "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);

export function* fact(name: string): Transaction<string | undefined> {
  return (yield* get(FIND, name))?.value;
}

export function* setFact(name: string, value: string): Transaction<void> {
  yield* run(SET_FACT, name, value);
}
