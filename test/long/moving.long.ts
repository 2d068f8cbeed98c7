// A large installation is moved to PostgreSQL: 1,000,000 connections and 5,000,000 rows of the execution log, with 10 kills on
// the way. Prints how long it takes and how much memory.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "../../src/store";
import { OLD_ROOT_KEY, writeOldSchema } from "../store/old-schemas";
import { openFolder, SCHEMA } from "../backup/installation";
import { check, open, type Place } from "../moving/moving";
import { randomOf, scaled } from "../support/long";
import { startCluster } from "../support/postgres/cluster";
import { testOnPostgres } from "../support/postgres/programs";

const CONNECTIONS = scaled(1_000_000);
const LOG_ROWS = scaled(5_000_000);
const KILLS = scaled(10);
const OPENED = scaled(1000);
const PAGE = 10_000;
const PROJECT = "default";

const placeOf = (id: string) => ({ table: "connections", row: id, field: "tokens" });
const tokenOf = (id: string): string => `token of ${id}`;
const idOf = (number: number): string => `co_${String(number).padStart(9, "0")}`;

testOnPostgres(
  `${CONNECTIONS} connections, ${LOG_ROWS} log rows, ${KILLS} kills`,
  async () => {
    await using cluster = await startCluster({ fsync: true, settings: { max_wal_size: "4GB" } });
    const folder = mkdtempSync(join(tmpdir(), "runtime-moving-"));
    try {
      await fill(folder);
      const random = randomOf(29);
      const place = { folder, url: cluster.url(), schema: "moved" };
      const first = await copy(place, Infinity);
      say(`copied in ${first.seconds.toFixed(1)} s, ${first.megabytes} MB resident at most`);
      const started = performance.now();
      expect(await check(place)).toMatchObject({ ok: true, problems: [] });
      say(`compared in ${((performance.now() - started) / 1000).toFixed(1)} s`);
      await unseal(place, random);
      say(`${OPENED} random values were opened`);

      const again = { ...place, schema: "again" };
      for (let kill = 1; kill <= KILLS; kill++) {
        expect((await copy(again, Math.floor(random() * first.steps))).done).toBe(false);
        expect(await cluster.psql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'again%'")).toBe("");
      }
      expect((await copy(again, Infinity)).done).toBe(true);
      await unseal(again, random);
      say(`killed ${KILLS} times: nothing was kept, and the next copy is complete`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  3_600_000,
);

async function unseal(place: Place, random: () => number): Promise<void> {
  const runtime = await open(place);
  try {
    for (let opened = 0; opened < OPENED; opened++) {
      const id = idOf(Math.floor(random() * CONNECTIONS));
      const row = await runtime.core.store.get(SEALED, id);
      const text = await runtime.core.keyring.open(PROJECT, placeOf(id), row?.sealed_tokens ?? "");
      expect(text).toBe(tokenOf(id));
    }
    expect((await runtime.inspection.verify()).problem_count).toBe(0);
  } finally {
    await runtime.close();
  }
}

const SEALED = query<{ sealed_tokens: string }>("SELECT sealed_tokens FROM connections WHERE id = ?");

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function fill(folder: string): Promise<void> {
  writeOldSchema(SCHEMA, folder);
  const runtime = await openFolder(folder, OLD_ROOT_KEY);
  const sealed = async (number: number): Promise<[string, string]> => {
    const id = idOf(number);
    return [id, await runtime.core.keyring.seal(PROJECT, placeOf(id), tokenOf(id))];
  };
  using database = new Database(join(folder, "runtime.db"), { strict: true });
  database.run("PRAGMA synchronous = OFF");
  const insert = database.query(
    "INSERT INTO connections (id, project_id, user_id, provider_id, status, scopes, sealed_tokens, has_refresh, version, " +
      "created_at, updated_at) VALUES (?1, 'default', 'user ' || ?1, 'slack', 'active', '[\"chat:write\"]', ?2, 1, 1, " +
      "1700000000000, 1700000000000)",
  );
  for (let from = 0; from < CONNECTIONS; from += PAGE) {
    const numbers = Array.from(
      { length: Math.min(PAGE, CONNECTIONS - from) },
      (_each, index) => from + index,
    );
    const rows = await Promise.all(numbers.map(sealed));
    database.transaction(() => rows.forEach((row) => insert.run(...row)))();
  }
  await runtime.close();
  using log = new Database(join(folder, "executions.db"));
  log.run("PRAGMA synchronous = OFF");
  log.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LOG_ROWS})
     INSERT INTO executions (id, execution_id, project_id, user_id, actor, tool, status, duration_ms, created_at, decisions)
     SELECT 'ex_' || lower(hex(randomblob(12))), 'tc_' || i, 'default', 'user ' || (i % 1000), 'key:key_1', 'Chat.SendMessage',
       'success', i / 7.0, 1700000000000 + i, NULL FROM n`,
  );
  say(`${CONNECTIONS} connections and ${LOG_ROWS} log rows are in files`);
}

interface Copied {
  done: boolean;
  seconds: number;
  megabytes: number;
  /** Lines of progress. */
  steps: number;
}

/** Runs the copy in a process, which is killed after so many lines of progress. */
async function copy({ folder, url, schema }: Place, until: number): Promise<Copied> {
  const started = performance.now();
  const script = join(import.meta.dir, "../moving/moving-child.ts");
  const child = Bun.spawn([process.execPath, script, folder, url, schema], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const copied = { done: false, seconds: 0, megabytes: 0, steps: 0 };
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    copied.steps += chunk.split("\n").length - 1;
    copied.done ||= chunk.includes("done\n");
    if (copied.steps > until && !copied.done) child.kill("SIGKILL");
  }
  await child.exited;
  copied.seconds = (performance.now() - started) / 1000;
  copied.megabytes = Math.round((child.resourceUsage()?.maxRSS ?? 0) / 1e6);
  return copied;
}
