// Tests that `bun run test:postgres` leaves out, with the reason. Paths under test/, as `bun test` ignores them.
const SQLITE = "tests the engine of SQLite and its files";

export const NOT_RUN: Readonly<Record<string, string>> = {
  "store/migrate.test.ts": SQLITE,
  "store/old-schemas.test.ts": SQLITE,
  "store/sqlite.test.ts": SQLITE,
  "store/sqlite-processes.test.ts": SQLITE,
};
