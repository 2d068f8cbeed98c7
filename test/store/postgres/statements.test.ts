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

test("no alias has capitals, unless it is quoted: PostgreSQL would return it in small letters", async () => {
  const folded = (await statementsOfServices()).filter((text) => /\bAS [a-z_]*[A-Z]/.test(text));

  expect(folded).toEqual([]);
});
