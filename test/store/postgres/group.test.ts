// What a group of transactions waits for on PostgreSQL: each wait is a round trip, in which all other writers wait.
import { expect, test } from "bun:test";
import { get, send, together, touch, type Transaction } from "../../../src/store";
import { type Ran, runGroup } from "../../../src/store/postgres/group";
import type { Answer } from "../../../src/store/postgres/link";
import type { Waiting } from "../../../src/store/sqlite-group";
import { FIND, INSERT, RENUMBER } from "../notes";

/** A database that answers when it is told to. */
class SlowDatabase {
  #sent: { text: string; answer: PromiseWithResolvers<Answer> }[] = [];
  #hasFailed = false;

  readonly execute = (text: string): Promise<Answer> => {
    const answer = Promise.withResolvers<Answer>();
    this.#sent.push({ text, answer });
    return answer.promise;
  };

  /** What was sent since the last round trip, by its first word. It is answered now. After a failure everything fails. */
  async roundTrip(fail?: string): Promise<string[]> {
    await Bun.sleep(0);
    const sent = this.#sent;
    this.#sent = [];
    for (const { text, answer } of sent) {
      this.#hasFailed ||= text === fail;
      if (this.#hasFailed) answer.reject(new Error("refused"));
      else answer.resolve({ rows: [], count: 1, command: "" });
    }
    return sent.map(({ text }) => text.split(" ", 1)[0] ?? "");
  }
}

function groupOf(bodies: readonly (() => Transaction<unknown>)[]): AsyncGenerator<Waiting> {
  return (async function* () {
    for (const body of bodies) yield { body, resolve: () => undefined, reject: () => undefined };
  })();
}

/** As a write with its audit entry does it. */
function* write(): Transaction<string> {
  yield* get(FIND, "a");
  yield* send(RENUMBER, 1, "a");
  yield* touch("secrets");
  yield* together(get(FIND, "b"), get(FIND, "c"));
  yield* send(INSERT, "d", 2);
  yield* send(INSERT, "e", 3);
  return "done";
}

test("a write waits for its queries, and its last statements are not waited for", async () => {
  const database = new SlowDatabase();
  const running = runGroup(database.execute, groupOf([write, write]), false);

  expect(await database.roundTrip()).toEqual(["SELECT"]);
  expect(await database.roundTrip()).toEqual(["UPDATE", "SELECT", "SELECT"]);
  expect(await database.roundTrip()).toEqual(["INSERT", "INSERT", "SELECT"]);
  expect(await database.roundTrip()).toEqual(["UPDATE", "SELECT", "SELECT"]);

  const { outcomes, sent, touched, wrote } = (await running) as Ran;
  expect(outcomes.map((outcome) => "value" in outcome && outcome.value)).toEqual(["done", "done"]);
  expect([touched, wrote]).toEqual([new Set(["secrets"]), true]);
  expect(sent).toHaveLength(6);
  expect(await database.roundTrip()).toEqual(["INSERT", "INSERT"]);
});

test("after the failure of a statement that was not waited for, the group must run again", async () => {
  const database = new SlowDatabase();
  const running = runGroup(database.execute, groupOf([write]), false);

  await database.roundTrip();
  await database.roundTrip(RENUMBER.text);

  expect(await running).toBeUndefined();
});

test("with savepoints, every statement is waited for", async () => {
  const database = new SlowDatabase();
  const running = runGroup(database.execute, groupOf([() => send(INSERT, "d", 2)]), true);

  expect(await database.roundTrip()).toEqual(["SAVEPOINT"]);
  expect(await database.roundTrip()).toEqual(["SAVEPOINT", "INSERT"]);
  expect(await database.roundTrip()).toEqual(["RELEASE"]);
  expect(await database.roundTrip()).toEqual(["RELEASE"]);
  expect((await running)?.sent).toEqual([]);
});
