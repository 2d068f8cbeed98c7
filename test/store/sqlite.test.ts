// What is peculiar to the SQLite engine: shared commits and snapshots, locks, durability, files.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notFound } from "../../src/errors";
import { openSqlite, query, run, type SqliteOptions, type Store, type Transaction } from "../../src/store";
import { startChild, startChildOnFullDisk } from "../support/child";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { FIND, increment, insert, INSERT_BELOW, LIST, migrations, upgraded } from "./notes";
import { commitsIn } from "./wal";

const CHILD = join(import.meta.dir, "child.ts");
const UPDATE = "UPDATE notes SET number = ? WHERE id = ?";

function newFile(): string {
  return join(temporaryFolder(), "notes.db");
}

function openAt(file: string, options: Partial<SqliteOptions> = {}): Store {
  return closedAfterTest(openSqlite({ file, migrations, ...options }));
}

// Another process's connection in all but the process id: SQLite treats both alike.
function connect(file: string): Database {
  return new Database(file, { strict: true });
}

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

  test("a body that throws costs its turn no second commit", async () => {
    const file = newFile();
    const store = openAt(file);
    const before = commitsIn(file);
    const failed = store.write(function* () {
      yield* insert("gone", 99);
      throw notFound("There is no such note.");
    });
    await Promise.allSettled([failed, ...writeTen(store)]);

    expect(commitsIn(file) - before).toBe(1);
  });

  test("what was acknowledged is in the log already", async () => {
    const file = newFile();
    await openAt(file).write(() => insert("a", 1));
    const other = connect(file);

    expect(other.query("SELECT id FROM notes").all()).toEqual([{ id: "a" }]);
    other.close();
  });
});

describe("reads of one turn", () => {
  test("share a snapshot: a commit between two of them shows in neither", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    await store.write(() => insert("b", 2));
    const other = connect(file);

    const first = store.get(FIND, "a");
    other.run("BEGIN IMMEDIATE");
    other.run(UPDATE, [11, "a"]);
    other.run(UPDATE, [12, "b"]);
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
    other.run(UPDATE, [11, "a"]);
    other.close();
    await new Promise((resolve) => setTimeout(resolve, 1));

    expect((await store.get(FIND, "a"))?.number).toBe(11);
  });

  test("a read that is no SQL throws and leaves the next one alone", async () => {
    const store = openAt(newFile());
    await store.write(() => insert("a", 1));

    expect(() => store.get(query("SELECT id FROM nowhere"))).toThrow(/nowhere/);
    expect((await store.get(FIND, "a"))?.number).toBe(1);
  });

  test("cannot write", () => {
    expect(() => openAt(newFile()).all(query("DELETE FROM notes"))).toThrow(/readonly/);
  });
});

describe("a lock that another process holds", () => {
  test("leaves the event loop free, and the write succeeds when it is released", async () => {
    const file = newFile();
    const store = openAt(file);
    const child = startChild(CHILD, "hold", file);
    await child.line();
    child.go();
    await child.line();
    let longest = 0;
    let last = performance.now();
    const tick = (): void => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    const timer = setInterval(tick, 5);
    const start = performance.now();
    const changed = await store.write(() => insert("a", 1));
    const waited = performance.now() - start;
    clearInterval(timer);
    tick();

    expect(changed).toBe(1);
    expect(waited).toBeGreaterThan(700);
    expect(longest).toBeLessThan(300);
  });

  test("does not stop reads", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    other.run(UPDATE, [11, "a"]);
    const read = await store.get(FIND, "a");
    other.close();

    expect(read?.number).toBe(1);
  });

  test("that outlasts the lock timeout rejects the write as unavailable", async () => {
    const file = newFile();
    const store = openAt(file, { lockTimeoutMs: 100 });
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    const written = await store.write(() => insert("a", 1)).catch((error: unknown) => error);
    other.close();

    expect(written).toMatchObject({ name: "unavailable", message: expect.stringMatching(/locked/) });
  });

  test("that outlasted one write does not harm the next", async () => {
    const file = newFile();
    const store = openAt(file, { lockTimeoutMs: 100 });
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    await store.write(() => insert("a", 1)).catch(() => undefined);
    other.close();
    await store.write(() => insert("b", 2));

    expect((await store.all(LIST)).map(({ id }) => id)).toEqual(["b"]);
  });
});

describe("processes", () => {
  test("three of them, 200 read-then-write increments each, lose none", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("counter", 0));
    const children = [1, 2, 3].map(() => startChild(CHILD, "increment", file));
    for (const child of children) await child.line();
    for (const child of children) child.go();

    expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0]);
    expect((await store.get(FIND, "counter"))?.number).toBe(600);
  });

  test("kill -9 of a writer loses no acknowledged write", async () => {
    const file = newFile();
    const acknowledged: string[] = [];
    for (let kill = 0; kill < 3; kill++) {
      const child = startChild(CHILD, "acknowledge", file);
      await child.line();
      child.go();
      for (let seen = 0; seen < 40 + kill * 7; seen++) acknowledged.push((await child.line()) ?? "");
      child.kill();
      acknowledged.push(...(await child.rest()));
      await child.exited;
    }
    const stored = new Set((await openAt(file).all(LIST)).map(({ id }) => id));

    expect(acknowledged.length).toBeGreaterThanOrEqual(141);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  test("what a killed writer left behind is sound", async () => {
    const file = newFile();
    const child = startChild(CHILD, "acknowledge", file);
    await child.line();
    child.go();
    for (let seen = 0; seen < 30; seen++) await child.line();
    child.kill();
    await child.exited;
    const check = query<{ integrity_check: string }>("PRAGMA integrity_check");

    expect(await openAt(file).all(check)).toEqual([{ integrity_check: "ok" }]);
  });

  test("four that open a new file at once all succeed, and it is migrated once", async () => {
    const file = newFile();
    const children = [1, 2, 3, 4].map(() => startChild(CHILD, "open", file));
    for (const child of children) await child.line();
    for (const child of children) child.go();
    const exits = await Promise.all(children.map(({ exited }) => exited));
    const applied = query<{ version: number }>("SELECT version FROM schema_migrations");

    expect(exits).toEqual([0, 0, 0, 0]);
    expect(await openAt(file).all(applied)).toEqual([{ version: 1 }]);
  });

  test("four that open an old file at once all succeed, and it is migrated once", async () => {
    const file = newFile();
    await openAt(file).close();
    const children = [1, 2, 3, 4].map(() => startChild(CHILD, "upgrade", file));
    for (const child of children) await child.line();
    for (const child of children) child.go();
    const exits = await Promise.all(children.map(({ exited }) => exited));
    const applied = query<{ version: number }>("SELECT version FROM schema_migrations");

    expect(exits).toEqual([0, 0, 0, 0]);
    expect(await openAt(file, { migrations: upgraded }).all(applied)).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
  });

  // What two openers of a new file do to each other, one half of it held still.
  test("a file that another process is reading before it is in WAL mode can be opened", async () => {
    const file = newFile();
    const before = connect(file);
    before.run("CREATE TABLE anything (id TEXT) STRICT");
    before.close();
    const child = startChild(CHILD, "read", file);
    await child.line();
    child.go();
    await child.line();

    expect(await openAt(file).write(() => insert("a", 1))).toBe(1);
  });
});

describe("a commit that fails", () => {
  // The rule is checked at COMMIT then, after every body of the turn has run.
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

  test("does not harm the next", async () => {
    const store = openAt(newFile());
    await store.write(insertBelowNobody).catch(() => undefined);

    expect(await store.write(() => insert("a", 1))).toBe(1);
  });

  test("for once leaves the check to find that the next goes through", async () => {
    const store = openAt(newFile());
    await store.write(insertBelowNobody).catch(() => undefined);

    expect(await store.check()).toBeUndefined();
  });

  test("for want of room is told, the check fails, and what was acknowledged is there", async () => {
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
  test("the database, its log and its index are for their owner alone", async () => {
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

  test("a file that others could read is closed to them", () => {
    const file = newFile();
    writeFileSync(file, "", { mode: 0o644 });
    openAt(file);

    expect(modeOf(file)).toBe("600");
  });

  test("closing leaves one file that holds everything", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    await store.close();

    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false]);
  });

  test("a folder that is not there is an error of the opening", () => {
    const file = join(temporaryFolder(), "nowhere", "notes.db");

    expect(() => openSqlite({ file, migrations })).toThrow(/unable to open/);
  });

  const durabilities: [string, Partial<SqliteOptions>, number][] = [
    ["full by default", {}, 2],
    ["full when asked for", { durability: "full" }, 2],
    ["normal when asked for", { durability: "normal" }, 1],
  ];
  test.each(durabilities)("synchronous is %s", async (_name, options, level) => {
    const store = openAt(newFile(), options);
    // A body runs on the connection that writes, which is the one that counts.
    const found = await store.write(function* () {
      return (yield { method: "get", text: "PRAGMA synchronous", params: [] }) as unknown;
    });

    expect(found).toEqual({ synchronous: level });
  });
});

test("more statements than the driver remembers still read and write", async () => {
  const store = openAt(newFile());
  await store.write(() => insert("a", 1));
  for (let index = 0; index < 60; index++) await store.all(query(`SELECT ${index} AS number FROM notes`));
  await store.write(() => increment("a"));

  expect((await store.get(FIND, "a"))?.number).toBe(2);
});

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}
