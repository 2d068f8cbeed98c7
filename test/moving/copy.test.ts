// `moveToPostgres` and `checkMoved` on a PostgreSQL server of the test.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { query } from "../../src/store";
import { startChild } from "../support/child";
import type { Cluster } from "../support/postgres/cluster";
import { startCluster } from "../support/postgres/cluster";
import { hasPostgres } from "../support/postgres/programs";
import { startProxy } from "../support/postgres/proxy";
import { dataFolder } from "../backup/installation";
import { check, move, ODD_TEXTS, oddFolder, open, type Place } from "./moving";

describe.if(hasPostgres)("an installation moved to PostgreSQL", () => {
  let cluster: Cluster;
  let count = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const placeOf = (folder: string, url = cluster.url()): Place => ({ folder, url, schema: `s${++count}` });
  const schemas = (schema: string): Promise<string> =>
    cluster.psql(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '${schema}%'`);

  test("has the same rows, the audit trail, and values that the same root key opens", async () => {
    const place = placeOf(await oddFolder());
    const moved = await move(place);

    expect(moved.tables.find(({ table }) => table === "executions.executions")?.rows).toBeGreaterThan(7);
    expect(moved).toMatchObject({ schema: place.schema, audit: { chains: 1 } });
    const checked = await check(place);
    expect([checked.ok, checked.problems, checked.tables?.filter(({ same }) => !same)]).toEqual([
      true,
      [],
      [],
    ]);
    const runtime = await open(place);
    try {
      const odd = "SELECT value FROM facts WHERE name LIKE 'odd %' ORDER BY name";
      using files = new Database(join(place.folder, "runtime.db"), { readonly: true });
      const values = files.query<{ value: string }, []>(odd).all();
      expect(values).toHaveLength(ODD_TEXTS.length);
      expect(await runtime.core.store.all(query<{ value: string }>(odd))).toEqual(values);
      expect(await runtime.rotation.unopenable("default", 1000)).toMatchObject({ places: [] });
      expect((await runtime.rotation.unopenable("default", 1000)).tried).toBeGreaterThan(4);
      expect((await runtime.inspection.verify()).problem_count).toBe(0);
    } finally {
      await runtime.close();
    }
  });

  test("numbers new rows after those that were copied", async () => {
    const place = placeOf(await oddFolder());
    await move(place);
    const { schema } = place;
    const newest = `SELECT MAX(rowid) FROM ${schema}_executions.executions`;
    const before = Number(await cluster.psql(newest));
    await cluster.psql(
      `INSERT INTO ${schema}_executions.executions (id, execution_id, project_id, user_id, actor, tool, status, duration_ms,
       created_at) VALUES ('new', 'x', 'p', 'u', 'a', 't', 's', 1, 1)`,
    );

    expect(Number(await cluster.psql(newest))).toBe(before + 1);
  });

  test("uses tables that were made in advance", async () => {
    const place = placeOf(await dataFolder());
    await move(place);
    const tables = await cluster.psql(
      `SELECT schemaname || '.' || relname FROM pg_stat_user_tables WHERE schemaname LIKE '${place.schema}%'
       AND relname NOT IN ('schema_migrations', 'generations', 'writers')`,
    );
    await cluster.psql(`TRUNCATE ${tables.split("\n").join(", ")}`);

    expect((await move(place)).rows).toBeGreaterThan(50);
    expect((await check(place)).ok).toBe(true);
    // Triggers work again.
    const off = `SELECT COUNT(*) FROM pg_trigger WHERE tgenabled = 'D'`;
    expect(await cluster.psql(off)).toBe("0");
  });

  test("is refused if a process has the files open", async () => {
    const place = placeOf(await dataFolder());
    using used = new Database(join(place.folder, "runtime.db"), { readonly: true });
    used.query("SELECT COUNT(*) FROM facts").get();

    await expect(move(place)).rejects.toThrow("runtime.db is used by a server or another process. Stop all");
    expect(await schemas(place.schema)).toBe("");
  });

  test("keeps other processes off the files while it runs", async () => {
    const place = placeOf(await dataFolder());
    const opened: unknown[] = [];
    await move(place, (table) => {
      if (table !== "runtime.projects" || opened.length > 0) return;
      const script = `new (require("bun:sqlite").Database)(process.argv[1]).run("DELETE FROM secrets")`;
      const tried = Bun.spawnSync([process.execPath, "-e", script, join(place.folder, "runtime.db")]);
      opened.push(tried.exitCode, tried.stderr.toString());
    });

    expect(opened).toEqual([1, expect.stringContaining("database is locked")]);
  });

  test("is refused over another installation, a newer one and an older one", async () => {
    const place = placeOf(await dataFolder());
    await move(place);
    await expect(move(place)).rejects.toThrow("contains an installation (rows in facts)");
    const { schema } = place;

    await cluster.psql(`UPDATE ${schema}.schema_migrations SET version = 999 WHERE version = 1`);
    await expect(move(place)).rejects.toThrow("was written by a newer version of runtime (schema 999");
    await expect(check(place)).rejects.toThrow("was written by a newer version of runtime (schema 999");
    await cluster.psql(`DELETE FROM ${schema}.schema_migrations WHERE version > 20`);
    expect((await check(place)).problems).toEqual([expect.stringContaining("have version 20")]);
  });

  test("is checked without files, and not found in an empty database", async () => {
    const place = placeOf(await dataFolder());
    await expect(check(place)).rejects.toThrow(`The schema ${place.schema} of`);
    await move(place);

    expect(await check(place, { compared: false })).toMatchObject({ ok: true, data_dir: null });
  });

  test("is not the same after a change, an addition and a removal, which are named", async () => {
    const place = placeOf(await oddFolder());
    await move(place);
    const { schema } = place;
    await cluster.psql(
      `UPDATE ${schema}.facts SET value = 'other' WHERE name = 'odd 3';
       INSERT INTO ${schema}.suspended_users (project_id, user_id, created_at) VALUES ('default', 'mallory', 1);
       DELETE FROM ${schema}_executions.executions WHERE id = 'ex_9';
       UPDATE ${schema}_executions.executions SET rowid = DEFAULT WHERE id = 'ex_8'`,
    );
    const { ok, tables = [] } = await check(place);

    expect(ok).toBe(false);
    const differing = tables.filter(({ same }) => !same).map((table) => [table.table, table.differing]);
    expect(differing).toEqual([
      ["runtime.facts", ["odd 3"]],
      ["runtime.suspended_users", ["default mallory"]],
      ["executions.executions", ["ex_8", "ex_9"]],
    ]);
  });

  test("is not good with a changed trail, a missing data key or a wrong counter", async () => {
    const place = placeOf(await dataFolder());
    await move(place);
    const { schema } = place;
    await cluster.psql(
      `UPDATE ${schema}.audit SET target = 'x' WHERE number = 2;
       UPDATE ${schema}.data_keys SET id = 'dk_other';
       INSERT INTO ${schema}.counters (project_id, name, value) VALUES ('default', 'consents', 77)
         ON CONFLICT (project_id, name) DO UPDATE SET value = 77`,
    );
    const { ok, problems } = await check(place, { compared: false });

    expect(ok).toBe(false);
    expect(problems.join("\n")).toMatch(/The data keys of \d+ values in secrets.sealed_value do not exist\./);
    expect(problems.join("\n")).toContain("The counter of consents of the project default is 77; there are ");
    expect(problems.join("\n")).toContain("The audit trail of default at row 2: the row was changed");
  });

  test("is not there after a kill at any table, and complete after the next run", async () => {
    const place = placeOf(await oddFolder());
    const script = join(import.meta.dir, "moving-child.ts");
    for (const stop of ["runtime.generations", "runtime.audit", "executions: indexes", "audit trail"]) {
      const child = startChild(script, place.folder, place.url, place.schema);
      for (let line = await child.line(); line?.startsWith(`${stop} `) !== true; line = await child.line())
        expect(line).toBeDefined();
      child.kill();
      await child.exited;
      expect([stop, await schemas(place.schema)]).toEqual([stop, ""]);
    }

    await move(place);
    expect((await check(place)).ok).toBe(true);
  }, 60_000);

  test("is not there after the connection is lost, and says so", async () => {
    await using proxy = startProxy({ port: cluster.port });
    const place = placeOf(await dataFolder(), proxy.url(cluster.url()));
    const lost = move(place, (table) => table === "runtime.audit" && proxy.reset());

    await expect(lost).rejects.toThrow("was lost. Nothing was kept of the copy. Run it again.");
    expect(await schemas(place.schema)).toBe("");
    await move(place);
    expect((await check(place)).ok).toBe(true);
  });

  test("says that its end is not known if the connection is lost at the end", async () => {
    await using proxy = startProxy({ port: cluster.port });
    const place = placeOf(await dataFolder(), proxy.url(cluster.url()));
    const held = proxy.holdAfter("COMMIT");
    const moving = move(place);
    moving.catch(() => undefined);
    await held;
    proxy.reset();

    await expect(moving).rejects.toThrow(
      "Whether the copy is complete is not known. Run: runtime database check",
    );
    proxy.heal();
    expect((await check(place)).ok).toBe(true);
  });

  test("is not there if the server ends the session", async () => {
    const place = placeOf(await dataFolder());
    let ending: Promise<string> | undefined;
    const moving = move(place, (table) => {
      if (table === "runtime.audit")
        ending ??= cluster.psql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'runtime'",
        );
    });

    await expect(moving).rejects.toThrow("Nothing was kept of the copy.");
    await ending;
    expect(await schemas(place.schema)).toBe("");
  });

  test("waits for another copy, which it then finds", async () => {
    const folder = await dataFolder();
    const place = placeOf(folder);
    let second: Promise<unknown> | undefined;
    const other = { ...place, folder: await dataFolder() };
    await move(place, (table) => {
      if (table === "runtime.projects") second ??= move(other).catch((error: unknown) => error);
    });

    expect(String(await second)).toContain("contains an installation");
  });
});
