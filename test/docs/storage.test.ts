// docs/storage.md lists every table and column of both databases.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { executionLogMigrations, mainMigrations, openSqlite } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

type Tables = Record<string, string[]>;

const page = await Bun.file(join(import.meta.dir, "../../docs/storage.md")).text();
const [ofMain = "", ofLog = ""] = page.split("\n## `executions.db`\n");

/** `### \`table\`` headings, each followed by a table with one row per column. */
function documentedTables(text: string): Tables {
  const sections = text.split(/^### /m).slice(1);
  return Object.fromEntries(sections.map((section) => [backquoted(section), columnsOf(section)]));
}

function columnsOf(section: string): string[] {
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, column = ""]) => column);
}

function backquoted(text: string): string {
  return /^`([^`]+)`/.exec(text)?.[1] ?? text;
}

/** The tables that the migrations create, without the two times that the page explains once for all tables. */
function realTables(migrations: Parameters<typeof openSqlite>[0]["migrations"]): Tables {
  const file = join(temporaryFolder(), "new.db");
  closedAfterTest(openSqlite({ file, migrations }));
  using database = new Database(file, { readonly: true });
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  return Object.fromEntries(tables.map(({ name }) => [name, columnsIn(database, name)]));
}

function columnsIn(database: Database, table: string): string[] {
  return database
    .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    .all(table)
    .map(({ name }) => name)
    .filter((name) => name !== "created_at" && name !== "updated_at");
}

describe("docs/storage.md", () => {
  test("lists the tables and columns of runtime.db, in the order of the schema", () => {
    expect(documentedTables(ofMain)).toEqual(realTables(mainMigrations));
  });

  test("lists the tables and columns of executions.db", () => {
    const { schema_migrations, generations, ...own } = realTables(executionLogMigrations);

    expect(documentedTables(ofLog)).toEqual(own);
    // Documented once, with runtime.db.
    expect(documentedTables(ofMain)).toMatchObject({ schema_migrations, generations });
  });

  test("marks every sealed, wrapped or hashed column as secret", () => {
    const secret = /^\| `(?:sealed_\w+|\w*hash|wrapped)`\s*\|(?<contents>.*)$/gm;
    const rows = [...page.matchAll(secret)].map(({ groups }) => groups?.["contents"]?.trim());

    expect(rows.length).toBeGreaterThan(20);
    // The digests of the audit trail are published on purpose.
    const isSecret = (contents = ""): boolean => contents.startsWith("**secret**");
    const isDigest = (contents = ""): boolean => contents.startsWith("digest of");
    expect(rows.filter((contents) => !isSecret(contents) && !isDigest(contents))).toEqual([]);
  });

  test("is compared column by column: a column without a row is found", () => {
    const [, withoutRow] = /^(\| `sealed_value`.*\n)/m.exec(ofMain) ?? [];

    expect(documentedTables(ofMain.replace(withoutRow ?? "", ""))).not.toEqual(realTables(mainMigrations));
  });
});
