// Tests that `bun run test:postgres` leaves out, with the reason. Paths under test/, as `bun test` ignores them.
const SQLITE = "tests the engine of SQLite and its files";
const FILES = "reads and changes the files of SQLite while it runs";

const PROCESSES = "starts processes, which open a data folder of SQLite";

export const NOT_RUN: Readonly<Record<string, string>> = {
  "acceptance/**": PROCESSES,
  "authorization/matrix/matrix.test.ts": FILES,
  "interop/mcp/**": PROCESSES,
  "processes/**": PROCESSES,
  "store/migrate.test.ts": SQLITE,
  "store/old-schemas.test.ts": SQLITE,
  "store/sqlite.test.ts": SQLITE,
  "store/sqlite-processes.test.ts": SQLITE,
};
