// Statements that change one row or fail are sent without waiting for the answer to the one before.
import { expect, test } from "bun:test";
import { get, query, run, type Transaction } from "../../../src/store";
import { runGroup } from "../../../src/store/postgres/group";
import type { Answer } from "../../../src/store/postgres/link";

const INSERT = query<never>("INSERT INTO notes (id) VALUES (?)");
const PUT = query<never>("INSERT INTO notes (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET id = excluded.id");
const MAYBE = query<never>("INSERT INTO notes (id) VALUES (?) ON CONFLICT (id) DO NOTHING");
const GUARDED = query<never>(`${PUT.text} WHERE notes.id = ?`);
const FIND = query<{ id: string }>("SELECT id FROM notes WHERE id = ?");
const ONE: Answer = { rows: [], count: 1, command: "INSERT" };

/** Runs one body; `texts` are what it has sent before the first answer. */
async function sentBefore(body: () => Transaction<unknown>, savepoints = false): Promise<string[]> {
  const texts: string[] = [];
  const first = Promise.withResolvers<Answer>();
  const execute = (text: string): Promise<Answer> => {
    texts.push(text);
    return first.promise;
  };
  const ran = runGroup(execute, [waiting(body)], savepoints);
  await Bun.sleep(0);
  const before = [...texts];
  first.resolve(ONE);
  await ran;
  return before;
}

function waiting(body: () => Transaction<unknown>) {
  return { body, resolve: () => {}, reject: () => {} };
}

test.each([
  ["an insert", INSERT],
  ["an upsert", PUT],
])("%s does not wait", async (_name, statement) => {
  const sent = await sentBefore(function* () {
    yield* run(statement, "a");
    yield* get(FIND, "a");
  });

  expect(sent).toEqual([statement.text, FIND.text]);
});

test.each([
  ["an insert that may do nothing", MAYBE],
  ["an upsert with a condition", GUARDED],
  ["a query", FIND],
])("%s does", async (_name, { text }) => {
  const sent = await sentBefore(function* () {
    yield* run({ text }, "a");
    yield* get(FIND, "a");
  });

  expect(sent).toEqual([text]);
});

test("with savepoints, everything waits", async () => {
  const sent = await sentBefore(function* () {
    yield* run(INSERT, "a");
  }, true);

  expect(sent).toEqual(["SAVEPOINT body"]);
});

test("a failure lets the group run again with savepoints", async () => {
  const failing = (text: string): Promise<Answer> =>
    text === INSERT.text ? Promise.reject(new Error("a unique key")) : Promise.resolve(ONE);

  expect(await runGroup(failing, [waiting(() => run(INSERT, "a"))], false)).toBeUndefined();
});
