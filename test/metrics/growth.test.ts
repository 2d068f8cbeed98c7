// A page takes the same work however many rows there are.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { silentLog } from "../../src/base";
import { type Depths, depthsOf, MOST_COUNTED } from "../../src/metrics/repository";
import { mainMigrations, openSqlite } from "../../src/store";

const NOW = 1_000_000;
const RUNS = 5;
/** Rows of every state: due, waiting, ended; consents that wait, have expired, and have ended before they would expire. */
const FILL = [
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
   INSERT INTO scheduled_runs (id, execution_id, project_id, user_id, actor, toolkit_name, tool_name, toolkit_version,
     with_stack, sealed_input, status, run_at, due_at, attempts, fence, created_at, updated_at)
   SELECT 'r' || i, 'e' || i, 'p', 'u', 'a', 'T', 't', '1', 0, 's',
     CASE i % 3 WHEN 0 THEN 'completed' ELSE 'pending' END, 1,
     CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN ${NOW} - i % 1000 ELSE ${NOW} + 1 + i END, 0, 0, i, i FROM n`,
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
   INSERT INTO authorizations (id, project_id, user_id, status, needed, scopes, created_at, expires_at)
   SELECT 'a' || i, 'p', 'u', CASE i % 3 WHEN 0 THEN 'completed' ELSE 'pending' END, '[]', '[]', 1,
     CASE i % 3 WHEN 1 THEN ${NOW} - i ELSE ${NOW} + i END FROM n`,
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
   INSERT INTO revocations (id, project_id, user_id, provider_id, attempts, due_at, created_at)
   SELECT 'v' || i, 'p', 'u', 'g', 0, ${NOW}, 1 FROM n`,
];

/** The depths with so many rows in each table, and the shortest time that counting took, in ms. */
async function counted(rows: number): Promise<{ depths: Depths; ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), "runtime-depths-"));
  const file = join(folder, "runtime.db");
  const store = openSqlite({ file, migrations: mainMigrations, log: silentLog });
  try {
    const database = new Database(file);
    database.run("PRAGMA foreign_keys = OFF");
    for (const statement of FILL) database.query(statement).run({ $rows: rows });
    database.close();
    let ms = Infinity;
    let depths = await depthsOf(store, NOW);
    for (let run = 0; run < RUNS; run++) {
      const started = performance.now();
      depths = await depthsOf(store, NOW);
      ms = Math.min(ms, performance.now() - started);
    }
    return { depths, ms };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("few rows are counted exactly", async () => {
  const { depths } = await counted(300);

  expect(depths).toEqual({ due: 100, waiting: 100, running: 0, consents: 100, revocations: 300 });
});

test("counting takes no longer with four times the rows", async () => {
  const [small, large] = [await counted(25_000), await counted(100_000)];

  expect(large.depths.due).toBe(MOST_COUNTED);
  // Of those that expire next, two thirds wait and one third has ended.
  expect(large.depths.consents).toBeLessThan(MOST_COUNTED);
  // About 1.2; if all were counted, 4.
  expect(large.ms / small.ms).toBeLessThan(3);
}, 60_000);
