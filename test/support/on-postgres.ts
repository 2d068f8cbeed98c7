// Preloaded: with RUNTIME_TEST_DATABASE=postgres, what opens a SQLite database in the process of the tests opens one on
// PostgreSQL (RUNTIME_TEST_DATABASE_URL) instead.
import { mock } from "bun:test";
import * as sqlite from "../../src/store/sqlite";
import { openOnPostgres, TEST_DATABASE } from "./postgres-engine";

const url = TEST_DATABASE;
if (url !== undefined) {
  const openSqlite: typeof sqlite.openSqlite = (options) => openOnPostgres(options, url);
  await mock.module(import.meta.resolve("../../src/store/sqlite.ts"), () => ({ openSqlite }));
}
