// A database of every earlier version opens, and nothing that an earlier version left of deleted rows stays. One of a newer
// version is refused by name and not changed by a byte.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { executionLogMigrations, mainMigrations, openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "./figure";

const VERSIONS = mainMigrations.map(({ version }) => version);

function open(home: string): Promise<Runtime> {
  return createRuntime(loadConfig({ environment: { HOME: home } }), NO_EXTENSIONS, { log: silentLog });
}

function folderIn(home: string): string {
  const folder = join(home, ".local/share/runtime");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function userVersion(file: string): unknown {
  using database = new Database(file, { readonly: true });
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
}

describe("a database of an earlier version", () => {
  test.each(VERSIONS)("opens: version %d", async (version) => {
    const home = temporaryFolder();
    const file = join(folderIn(home), "runtime.db");
    await openSqlite({ file, migrations: mainMigrations.slice(0, version) }).close();
    // An earlier version did not overwrite what it deleted.
    using old = new Database(file);
    old.run("PRAGMA user_version = 0");
    old.run("PRAGMA secure_delete = OFF");
    old.run("CREATE TABLE rest (value TEXT)");
    old.run("INSERT INTO rest VALUES ('canary of an earlier version')");
    old.run("DELETE FROM rest");
    old.run("PRAGMA wal_checkpoint(TRUNCATE)");
    old.close();
    expect(readFileSync(file, "latin1")).toContain("canary of an earlier version");

    const runtime = await open(home);
    await runtime.secrets.upsert(await runtime.identity.operator("default"), "A", { value: "kept" });
    expect(await runtime.secrets.value("default", "A")).toBe("kept");
    expect((await runtime.health()).healthy).toBe(true);
    await runtime.close();
    expect(readFileSync(file, "latin1")).not.toContain("canary of an earlier version");
    expect(userVersion(file)).toBe(1);
  });
});

describe("a database of a newer version", () => {
  test.each([
    ["runtime.db", mainMigrations],
    ["executions.db", executionLogMigrations],
  ])("is refused by name and unchanged: %s", async (name, migrations) => {
    const home = temporaryFolder();
    await (await open(home)).close();
    const file = join(folderIn(home), name);
    const newest = Math.max(...migrations.map(({ version }) => version));
    using database = new Database(file);
    database.run(`INSERT INTO schema_migrations VALUES (${newest + 1}, 'of the future', '')`);
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const before = readFileSync(file);

    const refusal = await open(home).catch(String);

    expect(refusal).toContain(`${name} was written by a newer version of runtime (schema ${newest + 1}`);
    expect(readFileSync(file).equals(before)).toBe(true);
    printFigure(
      "old and newer databases",
      `${VERSIONS.length} earlier versions open, 2 newer files refused unchanged`,
    );
  });

  test("that is another program's file is refused by name", async () => {
    const home = temporaryFolder();
    writeFileSync(join(folderIn(home), "runtime.db"), "not a database".repeat(100));
    expect(String(await open(home).catch(String))).toMatch(/The database in .* cannot be used/);
  });
});
