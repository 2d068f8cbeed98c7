// One SQLite file in several processes: locks, races, kill -9.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { startChild } from "../support/child";
import { FIND, insert, LIST, RENUMBER, upgraded } from "./notes";
import { CHILD, connect, newFile, openAt } from "./opening";

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

  test("does not block reads", async () => {
    const file = newFile();
    const store = openAt(file);
    await store.write(() => insert("a", 1));
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    other.run(RENUMBER.text, [11, "a"]);
    const read = await store.get(FIND, "a");
    other.close();

    expect(read?.number).toBe(1);
  });

  test("that is longer than the lock timeout rejects the write as unavailable", async () => {
    const file = newFile();
    const store = openAt(file, { lockTimeoutMs: 100 });
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    const written = await store.write(() => insert("a", 1)).catch((error: unknown) => error);
    other.close();

    expect(written).toMatchObject({ name: "unavailable", message: expect.stringMatching(/locked/) });
  });

  test("does not affect the next write after a timeout", async () => {
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
  test("three of them with 200 read-then-write increments each lose none", async () => {
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

  test("the file of a killed writer is intact", async () => {
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

  test("four that open a new file at the same time all succeed, and it is migrated once", async () => {
    const file = newFile();
    const children = [1, 2, 3, 4].map(() => startChild(CHILD, "open", file));
    for (const child of children) await child.line();
    for (const child of children) child.go();
    const exits = await Promise.all(children.map(({ exited }) => exited));
    const applied = query<{ version: number }>("SELECT version FROM schema_migrations");

    expect(exits).toEqual([0, 0, 0, 0]);
    expect(await openAt(file).all(applied)).toEqual([{ version: 1 }]);
  });

  test("four that open an old file at the same time all succeed, and it is migrated once", async () => {
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

  // Simulates a process that is creating the file at the same time.
  test("a file that another process writes to before it is in WAL mode can be opened", async () => {
    const file = newFile();
    const before = connect(file);
    before.run("CREATE TABLE anything (id TEXT) STRICT");
    before.close();
    const child = startChild(CHILD, "write", file);
    await child.line();
    child.go();
    await child.line();

    expect(await openAt(file).write(() => insert("a", 1))).toBe(1);
  });
});
