// Every row of a database of the tests on PostgreSQL, as another process reads it.
import { join } from "node:path";
import { schemaOfFile } from "../postgres-engine";
import { ENVIRONMENT, PROGRAMS } from "./programs";

/** The rows of each table, by its name, without what only PostgreSQL has. */
export function dumpOfPostgres(file: string, url: string): Record<string, unknown[]> {
  const schema = schemaOfFile(file);
  const names = psql(
    url,
    `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'writers'`,
  );
  const tables = names
    .split("\n")
    .filter((name) => name !== "")
    .toSorted();
  const selects = tables.map(
    (name) =>
      `SELECT '${name}' AS name, (SELECT COALESCE(jsonb_agg(to_jsonb(t) - 'rowid'), '[]') FROM ${schema}.${name} AS t) AS rows`,
  );
  return JSON.parse(
    psql(url, `SELECT jsonb_object_agg(name, rows) FROM (${selects.join(" UNION ALL ")}) AS tables`),
  );
}

function psql(url: string, text: string): string {
  const ran = Bun.spawnSync([join(PROGRAMS, "psql"), "-X", "-q", "-A", "-t", "-d", url, "-c", text], {
    env: ENVIRONMENT,
  });
  if (!ran.success) throw new Error(ran.stderr.toString());
  return ran.stdout.toString().trim();
}
