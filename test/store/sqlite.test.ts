// The SQLite engine: shared commits and snapshots, failed commits, files.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notFound } from "../../src/errors";
import {
  openSqlite,
  query,
  run,
  type SqliteOptions,
  type Store,
  touch,
  type Transaction,
} from "../../src/store";
import { startChildOnFullDisk } from "../support/child";
import { temporaryFolder } from "../support/temporary";
import { FIND, increment, insert, INSERT_BELOW, LIST, migrations, RENUMBER } from "./notes";
import { CHILD, connect, newFile, nextTurn, openAt } from "./opening";
import { commitsIn } from "./wal";

describe("commits of one turn", () => {
  const writeTen = (store: Store): Promise<number>[] =>
    Array.from({ length: 10 }, (_, index) => store.write(() => insert(`n${index}`, index)));

  test("ten writes of one turn are one commit", async () => {
    const file = newFile();
    const store = openAt(file);
    const before = commitsIn(file);
    await Promise.all(writeTen(store));

    expect(commitsIn(file) - before).toBe(1);
  });

  test("ten writes that wait for each other are ten commits", async () => {
    const file = newFile();
    const store = openAt(file);
    const before = commitsIn(file);
    for (let index = 0; index < 10; index++) await store.write(() => insert(`n${index}`, index));

    expect(commitsIn(file) - before).toBe(10);
  });

  test("a body that throws does not cause a second commit", async () => {
    const file = newFile();
    const store = openAt(file);
    const before = commitsIn(file);
    const failed = store.write(function* () {
      yield* insert("gone", 99);
      throw notFound("The note does not exist.");
    });
    await Promise.allSettled([failed, ...writeTen(store)]);

    expect(commitsIn(file) - before).toBe(1);
  });

  test("a group with a failure runs each body at most twice", async () => {
    const store = openAt(newFile());
    const runs = [0, 0, 0];
    const counted = (index: number, body: () => Transaction<unknown>) => () => {
      runs[index] = (runs[index] ?? 0) + 1;
      return body();
    };
    const failing = function* (): Transaction<void> {
      yield* insert("gone", 99);
      throw notFound("The note does not exist.");
    };
    const bodies = [() => insert("a", 1), failing, failing];
    await Promise.allSettled(bodies.map((body, index) => store.write(counted(index, body))));

    expect(runs).toEqual([2, 2, 1]);
  });

  test("the touches of a turn raise a generation once", async () => {
    const store = openAt(newFile());
    await Promise.all([1, 2, 3].map(() => store.write(() => touch("keys"))));

    expect(await store.generation("keys")).toBe(1);
  });

  test("an acknowledged write is in the log", async () => {
    const file = newFile();
    await openAt(file).write(() => insert("a", 1));
    const other = connect(file);

    expect(other.query("SELECT id FROM notes").all()).toEqual([{ id: "a" }]);
    other.close();
  });
});

describe("reads of one turn", () => {
  test("share a snapshot: neither sees a commit between them", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    await store.write(() => insert("b", 2));
    const other = connect(file);

    const first = store.get(FIND, "a");
    other.run("BEGIN IMMEDIATE");
    other.run(RENUMBER.text, [11, "a"]);
    other.run(RENUMBER.text, [12, "b"]);
    other.run("COMMIT");
    const second = store.get(FIND, "b");
    const list = store.all(LIST);
    other.close();

    expect([await first, await second, (await list).map(({ number }) => number)]).toEqual([
      { id: "a", number: 1 },
      { id: "b", number: 2 },
      [1, 2],
    ]);
  });

  test("the next turn sees the commit", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    const other = connect(file);
    void store.get(FIND, "a");
    other.run(RENUMBER.text, [11, "a"]);
    other.close();
    await nextTurn();

    expect((await store.get(FIND, "a"))?.number).toBe(11);
  });

  test("a read with a syntax error rejects and does not affect the next", async () => {
    const store = openAt(newFile());
    await store.write(() => insert("a", 1));

    expect(() => store.get(query("SELECT id FROM nowhere"))).toThrow(/nowhere/);
    expect((await store.get(FIND, "a"))?.number).toBe(1);
  });

  test("cannot write", () => {
    expect(() => openAt(newFile()).all(query("DELETE FROM notes"))).toThrow(/readonly/);
  });
});

describe("a commit that fails", () => {
  // The constraint is then checked at COMMIT, after every body of the turn has run.
  function* insertBelowNobody(): Transaction<void> {
    yield { method: "get", text: "PRAGMA defer_foreign_keys=ON", params: [] };
    yield* run(INSERT_BELOW, "orphan", 99, "nobody");
  }

  test("rejects every write of its turn and stores none of them", async () => {
    const store = openAt(newFile());
    const written = await Promise.allSettled([
      store.write(() => insert("a", 1)),
      store.write(insertBelowNobody),
      store.write(() => insert("b", 2)),
    ]);

    expect(written.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await store.all(LIST)).toEqual([]);
  });

  test("does not affect the next", async () => {
    const store = openAt(newFile());
    await store.write(insertBelowNobody).catch(() => undefined);

    expect(await store.write(() => insert("a", 1))).toBe(1);
  });

  test("does not fail the check if the next commit succeeds", async () => {
    const store = openAt(newFile());
    await store.write(insertBelowNobody).catch(() => undefined);

    expect(await store.check()).toBeUndefined();
  });

  test("because the disk is full is reported, the check fails, and acknowledged writes are stored", async () => {
    const file = newFile();
    const child = startChildOnFullDisk(2000, CHILD, "fill", file);
    await child.line();
    child.go();
    const [stored, check, readable] = await child.rest();
    const count = Number(stored?.replace("stored ", ""));

    expect(count).toBeWithin(1, 1000);
    expect([check, readable]).toEqual(["not healthy", `readable ${count}`]);
    expect((await openAt(file).all(LIST)).length).toBe(count);
  });
});

describe("files", () => {
  test("the database, its log and its index are only accessible to their owner", async () => {
    const file = newFile();
    const folder = join(file, "..");
    await openAt(file).write(() => insert("a", 1));
    const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);

    expect(modes.toSorted()).toEqual([
      ["notes.db", "600"],
      ["notes.db-shm", "600"],
      ["notes.db-wal", "600"],
    ]);
  });

  test("a file that others could read is made private", () => {
    const file = newFile();
    writeFileSync(file, "", { mode: 0o644 });
    openAt(file);

    expect(modeOf(file)).toBe("600");
  });

  test("closing leaves one file with all data", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    await store.close();

    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false]);
  });

  test("a missing folder is an error", () => {
    const file = join(temporaryFolder(), "nowhere", "notes.db");

    expect(() => openSqlite({ file, migrations })).toThrow(/unable to open/);
  });

  const durabilities: [string, Partial<SqliteOptions>, number][] = [
    ["full by default", {}, 2],
    ["full when set", { durability: "full" }, 2],
    ["normal when set", { durability: "normal" }, 1],
  ];
  test.each(durabilities)("synchronous is %s", async (_name, options, level) => {
    const store = openAt(newFile(), options);
    // A body runs on the writing connection.
    const found = await store.write(function* () {
      return (yield { method: "get", text: "PRAGMA synchronous", params: [] }) as unknown;
    });

    expect(found).toEqual({ synchronous: level });
  });
});

test("more statements than the driver caches still work", async () => {
  const store = openAt(newFile());
  await store.write(() => insert("a", 1));
  for (let index = 0; index < 60; index++) await store.all(query(`SELECT ${index} AS number FROM notes`));
  await store.write(() => increment("a"));

  expect((await store.get(FIND, "a"))?.number).toBe(2);
});

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}
