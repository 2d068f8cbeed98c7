// Every statement of the services is one that PostgreSQL understands: it is prepared there, without being run.
import { SQL } from "bun";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectorOf, executionLogMigrations, mainMigrations, openPostgres } from "../../../src/store";
import { type Dialect, dialectOf } from "../../../src/store/postgres/dialect";
import { tablesOf } from "../../../src/store/postgres/schema";
import type { Cluster } from "../../support/postgres/cluster";
import { startCluster } from "../../support/postgres/cluster";
import { hasPostgres } from "../../support/postgres/programs";
import { statementsOfServices } from "./collect-statements";

const SCHEMAS = [
  { schema: "records", migrations: mainMigrations },
  { schema: "records_executions", migrations: executionLogMigrations },
];

describe.if(hasPostgres)("the statements of the services", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("can each be prepared by PostgreSQL, for one of the two schemas", async () => {
    const dialects = await Promise.all(SCHEMAS.map((each) => made(each, cluster.url())));
    await using sql = new SQL(cluster.url(), { max: 1 });
    const statements = await statementsOfServices();
    const refused: string[] = [];
    for (const statement of statements) {
      const faults = [];
      for (const dialect of dialects) faults.push(await faultOf(sql, dialect.translate(statement)));
      if (!faults.includes(undefined)) refused.push(`${faults.join(", ")}: ${statement}`);
    }

    expect(statements.length).toBeGreaterThan(300);
    expect(refused).toEqual([]);
  });
  test("take texts and numbers only: Bun encodes values of other types in another way once it knows the type", async () => {
    const dialects = await Promise.all(SCHEMAS.map((each) => made(each, cluster.url())));
    await using sql = new SQL(cluster.url(), { max: 1 });
    const others: string[] = [];
    for (const statement of await statementsOfServices()) {
      const types = new Set<string>();
      for (const dialect of dialects)
        for (const type of await parameterTypes(sql, dialect.translate(statement))) types.add(type);
      for (const type of types) if (!PLAIN.has(type)) others.push(`${type}: ${statement}`);
    }

    expect(others).toEqual([]);
  });
});

async function made(each: (typeof SCHEMAS)[number], url: string): Promise<Dialect> {
  const connector = connectorOf({ url, preparedStatements: true, applicationName: "test" });
  const store = openPostgres({ ...each, connector, instance: "test" });
  await store.ready();
  await store.close();
  const tables = new Set(tablesOf(each.migrations));
  return dialectOf(each.schema, (name) => tables.has(name));
}

async function faultOf(sql: SQL, text: string): Promise<string | undefined> {
  try {
    await sql.unsafe(`PREPARE one AS ${text}`);
    await sql.unsafe("DEALLOCATE one");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown";
  }
}

const PLAIN = new Set(["text", "name", "double precision", "integer", "bigint", "smallint"]);

/** Empty for a statement of the other schema. */
async function parameterTypes(sql: SQL, text: string): Promise<string[]> {
  try {
    await sql.unsafe(`PREPARE one AS ${text}`);
  } catch {
    return [];
  }
  const rows: { type: string }[] = await sql.unsafe(
    "SELECT unnest(parameter_types)::text AS type FROM pg_prepared_statements WHERE name = 'one'",
  );
  await sql.unsafe("DEALLOCATE one");
  return rows.map(({ type }) => type);
}

test("no alias has capitals, unless it is quoted: PostgreSQL would return it in small letters", async () => {
  const folded = (await statementsOfServices()).filter((text) => /\bAS [a-z_]*[A-Z]/.test(text));

  expect(folded).toEqual([]);
});
