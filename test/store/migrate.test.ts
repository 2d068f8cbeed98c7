// Forward-only migrations: once, in order, all or nothing, and never on a file of a newer version.
import { describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  executionLogMigrations,
  mainMigrations,
  type Migration,
  openSqlite,
  query,
  run,
  type Store,
} from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { migrations as notes } from "./notes";

const APPLIED = query<{ version: number; name: string }>("SELECT version, name FROM schema_migrations");
const STEPS = query<{ step: string }>("SELECT step FROM steps ORDER BY rowid");

const second: Migration = {
  version: 2,
  name: "second",
  statements: [
    "CREATE TABLE steps (step TEXT NOT NULL) STRICT",
    "INSERT INTO steps (step) VALUES ('second, first statement')",
    "INSERT INTO steps (step) VALUES ('second, second statement')",
  ],
};
const third: Migration = {
  version: 3,
  name: "third",
  statements: ["INSERT INTO steps (step) VALUES ('third')"],
};
const broken: Migration = {
  version: 3,
  name: "broken",
  statements: ["INSERT INTO steps (step) VALUES ('third')", "INSERT INTO nowhere (step) VALUES ('third')"],
};

function newFile(): string {
  return join(temporaryFolder(), "notes.db");
}

function openAt(file: string, migrations: readonly Migration[]): Store {
  return closedAfterTest(openSqlite({ file, migrations }));
}

async function stepsOf(store: Store): Promise<string[]> {
  return (await store.all(STEPS)).map(({ step }) => step);
}

describe("migrations", () => {
  test("run in order on a new file", async () => {
    const store = openAt(newFile(), [...notes, second, third]);

    expect(await stepsOf(store)).toEqual(["second, first statement", "second, second statement", "third"]);
  });

  test("are recorded with version and name", async () => {
    const store = openAt(newFile(), [...notes, second]);

    expect(await store.all(APPLIED)).toEqual([
      { version: 1, name: "first" },
      { version: 2, name: "second" },
    ]);
  });

  test("run only once", async () => {
    const file = newFile();
    await openAt(file, [...notes, second]).close();
    const store = openAt(file, [...notes, second]);

    expect(await stepsOf(store)).toEqual(["second, first statement", "second, second statement"]);
  });

  test("only run on an old file if they are new", async () => {
    const file = newFile();
    await openAt(file, [...notes, second]).close();
    const store = openAt(file, [...notes, second, third]);

    expect(await stepsOf(store)).toEqual(["second, first statement", "second, second statement", "third"]);
  });

  test("a failed one leaves the file unchanged", async () => {
    const file = newFile();
    await openAt(file, [...notes, second]).close();

    expect(() => openSqlite({ file, migrations: [...notes, second, broken] })).toThrow(/nowhere/);
    expect(await stepsOf(openAt(file, [...notes, second]))).toEqual([
      "second, first statement",
      "second, second statement",
    ]);
  });

  test("a failed one closes the file", async () => {
    const file = newFile();
    expect(() => openSqlite({ file, migrations: [...notes, second, broken] })).toThrow();
    await openAt(file, [...notes, second, third]).close();

    expect(readdirSync(dirname(file))).toEqual(["notes.db"]);
  });
});

describe("a file of a newer version", () => {
  async function newerFile(): Promise<string> {
    const file = newFile();
    await openAt(file, [...notes, second]).close();
    return file;
  }

  test("is refused with both versions and advice", async () => {
    const file = await newerFile();

    expect(() => openSqlite({ file, migrations: notes })).toThrow(
      expect.objectContaining({
        name: "configuration",
        message: expect.stringMatching(/notes\.db .*newer version.*schema 2.*supports 1.*backup/),
      }),
    );
  });

  test("is unchanged", async () => {
    const file = await newerFile();
    const before = readFileSync(file);
    expect(() => openSqlite({ file, migrations: notes })).toThrow(/newer version/);

    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("is unchanged when a killed process has left a log", async () => {
    const killed = newFile();
    const store = openAt(killed, [...notes, second]);
    await store.write(() => run(query("INSERT INTO steps (step) VALUES ('only in the log')")));
    const file = newFile();
    for (const suffix of ["", "-wal"]) copyFileSync(killed + suffix, file + suffix);
    const before = [readFileSync(file), readFileSync(`${file}-wal`)];
    expect(() => openSqlite({ file, migrations: notes })).toThrow(/newer version/);

    expect([readFileSync(file), readFileSync(`${file}-wal`)]).toEqual(before);
    expect(await stepsOf(openAt(file, [...notes, second]))).toContain("only in the log");
  });

  test("is unchanged while its own version uses it", async () => {
    const file = newFile();
    const store = openAt(file, [...notes, second]);
    expect(() => openSqlite({ file, migrations: notes })).toThrow(/newer version/);
    await store.write(() => run(query("INSERT INTO steps (step) VALUES ('later')")));

    expect(await stepsOf(store)).toContain("later");
  });
});

describe("the schemas of this version", () => {
  const schemas: [string, readonly Migration[]][] = [
    ["main database", mainMigrations],
    ["execution log", executionLogMigrations],
  ];

  test.each(schemas)("%s: has consecutive versions from 1", (_name, migrations) => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  test.each(schemas)("%s: has only STRICT tables", async (_name, migrations) => {
    const store = openAt(newFile(), migrations);
    const loose = query<{ name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
    );

    expect(await store.all(loose)).toEqual([]);
  });

  test.each(schemas)("%s: has generations for records that are waited for", async (_name, migrations) => {
    const store = openAt(newFile(), migrations);
    const kinds = query<{ kind: string }>("SELECT kind FROM generations ORDER BY kind");

    expect((await store.all(kinds)).map(({ kind }) => kind)).toContain("authorizations");
  });
});
