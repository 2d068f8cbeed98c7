// The tables of the tests of faults. Each operation reads the counter, raises it and leaves a mark, so that lost, repeated and
// interleaved transactions can be seen afterwards.
import { get, type Migration, query, run, send, touch, type Transaction } from "../../../src/store";
import { KINDS } from "../../../src/store/port";
import { generations } from "../../../src/store/schema/generations";

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "first",
    statements: [
      "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      generations(...KINDS),
      "CREATE TABLE counters (id TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      "INSERT INTO counters (id, value) VALUES ('all', 0)",
      "CREATE TABLE marks (run TEXT PRIMARY KEY, operation TEXT NOT NULL, seen INTEGER NOT NULL) STRICT",
      "CREATE INDEX marks_operation ON marks (operation)",
    ],
  },
];

const VALUE = query<{ value: number }>("SELECT value FROM counters WHERE id = 'all'");
const RAISE = query("UPDATE counters SET value = ? WHERE id = 'all'");
const FIRST = query("INSERT INTO counters (id, value) VALUES ('all', ?)");
const MARK = query("INSERT INTO marks (run, operation, seen) VALUES (?, ?, ?)");
export const MARKS = query<{ operation: string; seen: number }>(
  "SELECT operation, seen FROM marks ORDER BY seen",
);
export const MARKED = query<{ operation: string }>("SELECT operation FROM marks WHERE operation = ?");

/** `between` is called after the read, while the transaction has the lock. */
export function* mark(operation: string, between: () => void = () => undefined): Transaction<number> {
  const row = yield* get(VALUE);
  const value = row?.value ?? 0;
  between();
  yield* row === undefined ? run(FIRST, 1) : send(RAISE, value + 1);
  // A new name for each run: a body that is committed twice leaves two marks.
  yield* send(MARK, crypto.randomUUID(), operation, value);
  yield* touch("keys");
  return value;
}
