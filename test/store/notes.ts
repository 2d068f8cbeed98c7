// A small schema and its statements, for the tests of the store. `number` is unique; a note may refer to another.
import { all, get, type Migration, query, run, type Transaction } from "../../src/store";
import { KINDS } from "../../src/store/port";
import { generations } from "../../src/store/schema/generations";

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "first",
    statements: [
      "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      generations(...KINDS),
      `CREATE TABLE notes (
        id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, parent TEXT REFERENCES notes (id)
      ) STRICT`,
    ],
  },
];

/** The same schema with a second version. */
export const upgraded: readonly Migration[] = [
  ...migrations,
  { version: 2, name: "second", statements: ["ALTER TABLE notes ADD COLUMN title TEXT"] },
];

export interface Note {
  id: string;
  number: number;
}

export const INSERT = query("INSERT INTO notes (id, number) VALUES (?, ?)");
export const INSERT_BELOW = query("INSERT INTO notes (id, number, parent) VALUES (?, ?, ?)");
export const FIND = query<Note>("SELECT id, number FROM notes WHERE id = ?");
export const LIST = query<Note>("SELECT id, number FROM notes ORDER BY number");
export const RENUMBER = query("UPDATE notes SET number = ? WHERE id = ?");

/** Adds a note. Returns the number of new rows. */
export function* insert(id: string, number: number): Transaction<number> {
  return yield* run(INSERT, id, number);
}

/** Increments a note's number with a read and a write, which concurrent writers without a lock would lose. */
export function* increment(id: string): Transaction<number> {
  const number = ((yield* get(FIND, id))?.number ?? 0) + 1;
  yield* run(RENUMBER, number, id);
  return number;
}

/** The ids of all notes, as the transaction sees them. */
export function* listIds(): Transaction<string[]> {
  return (yield* all(LIST)).map(({ id }) => id);
}
