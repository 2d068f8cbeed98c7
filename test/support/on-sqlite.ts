// Tests of SQLite in files that also have tests of every engine.
import { test } from "bun:test";
import { TEST_DATABASE } from "./postgres-engine";

/** `test`, or a skipped test where the tests run on PostgreSQL: it looks into the files of SQLite, or starts a process on them. */
export const testOnSqlite = TEST_DATABASE === undefined ? test : (test.skip as typeof test);
