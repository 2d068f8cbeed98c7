// A value that was sealed before its data key was deleted, and is stored after that.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog, systemClock } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { mainMigrations, openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { testOnSqlite } from "../support/on-sqlite";
import { type Hooks, pausedStore } from "../support/paused-store";
import { temporaryFolder } from "../support/temporary";

test("is refused, because it could never be opened, and can be stored again", async () => {
  const environment = { HOME: temporaryFolder() };
  let ahead = 0;
  let hooks: Hooks | undefined;
  const open = (): Promise<Runtime> =>
    createRuntime(loadConfig({ environment }), NO_EXTENSIONS, {
      log: silentLog,
      clock: { ...systemClock, now: () => Date.now() + ahead },
      openStore: pausedStore(() => hooks),
    });
  const [slow, other] = [await open(), await open()];
  const operator = await other.identity.operator("default");
  const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hooks = {
    before: async () => {
      hooks = undefined;
      stopped.resolve();
      await resumed.promise;
    },
  };
  const late = slow.secrets.upsert(operator, "WORD", { value: "late" }).catch((error: unknown) => error);
  await stopped.promise;
  await other.rotation.rotateDataKey(operator);
  // The clock jumps, so the key seems to have been retired long ago.
  ahead = 2 * 3600_000;
  await other.rotation.rotateDataKey(operator);
  resumed.resolve();

  expect(await late).toMatchObject({ name: "unavailable" });
  expect(await other.secrets.value("default", "WORD")).toBeUndefined();
  await slow.secrets.upsert(operator, "WORD", { value: "again" });
  expect(await other.secrets.value("default", "WORD")).toBe("again");
  await Promise.all([slow.close(), other.close()]);
});

testOnSqlite("is refused in every table with sealed values", async () => {
  const file = join(temporaryFolder(), "runtime.db");
  await openSqlite({ file, migrations: mainMigrations }).close();
  using database = new Database(file, { readonly: true });
  const columns = database
    .query<{ table: string; column: string }, []>(
      'SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c ' +
        "WHERE m.type = 'table' AND c.name LIKE 'sealed_%'",
    )
    .all();
  const triggers = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .map(({ name }) => name);

  // Revocations also take values that cannot be opened any more.
  const expected = columns.filter(({ table }) => table !== "revocations");
  expect(expected.length).toBeGreaterThan(10);
  for (const { table, column } of expected) {
    expect(triggers).toContain(`${table}_${column}_insert`);
    expect(triggers).toContain(`${table}_${column}_update`);
  }
});
