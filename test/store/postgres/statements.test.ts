// Every statement of the services is one that PostgreSQL understands: it is prepared there, without being run.
import { SQL } from "bun";
import { expect, test } from "bun:test";
import { statementsOfServices } from "./collect-statements";
import { executionLogMigrations, mainMigrations, type Migration } from "../../../src/store";
import { connectorOf } from "../../../src/store/postgres/connector";
import { dialectOf } from "../../../src/store/postgres/dialect";
import { openPostgres } from "../../../src/store/postgres/postgres";
import { tablesOf } from "../../../src/store/postgres/schema";

const url = process.env["PGURL"] ?? "";

test("every statement", async () => {
  const texts = await statementsOfServices();
  expect(texts.length).toBeGreaterThan(300);
  const sql = new SQL({ url, max: 1 });
  const faults: string[] = [];
  const schemas: [string, readonly Migration[]][] = [
    ["stm", mainMigrations],
    ["stl", executionLogMigrations],
  ];
  const dialects = [];
  for (const [schema, migrations] of schemas) {
    const connector = connectorOf({ url, preparedStatements: true, applicationName: "t" });
    const store = openPostgres({ connector, schema, migrations, instance: "x" });
    await store.ready();
    await store.close();
    const tables = new Set(tablesOf(migrations));
    dialects.push(dialectOf(schema, (name) => tables.has(name)));
  }
  for (const text of texts) {
    const errors = [];
    for (const dialect of dialects) {
      try {
        await sql.unsafe(`PREPARE s AS ${dialect.translate(text)}`);
        await sql.unsafe("DEALLOCATE s");
        errors.length = 0;
        break;
      } catch (error) {
        errors.push(String(error));
      }
    }
    if (errors.length > 0) faults.push(`${errors.join(" | ")}: ${text}`);
  }
  expect(faults).toEqual([]);
});
