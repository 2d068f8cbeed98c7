// Tests that `bun run test:postgres` leaves out, with the reason. Paths under test/, as `bun test` ignores them.
const SQLITE = "tests the engine of SQLite and its files";
const FILES = "reads and changes the files of SQLite while it runs";
const FOLDER = "makes installations in data folders, which are those of SQLite";
const COPIES = "moves installations from SQLite to PostgreSQL; runs as it is in the other runs";
const SIMULATED = "simulates both engines; runs as it is in the other runs";
const PROCESSES = "starts processes, which open a data folder of SQLite";

export const NOT_RUN: Readonly<Record<string, string>> = {
  "acceptance/**": PROCESSES,
  "authorization/matrix/matrix.test.ts": FILES,
  "backup/**": FOLDER,
  "cli/commands/audit.test.ts": FOLDER,
  "cli/commands/doctor.test.ts": FOLDER,
  "cli/commands/next.test.ts": FOLDER,
  "cli/database.test.ts": COPIES,
  "cli/process.test.ts": PROCESSES,
  "cli/terminal-manners.test.ts": FOLDER,
  "cli/variables.test.ts": PROCESSES,
  "docs/audit.test.ts": FILES,
  "docs/storage.test.ts": SQLITE,
  "interop/mcp/**": PROCESSES,
  "manifest/killed.test.ts": PROCESSES,
  "metrics/growth.test.ts": FILES,
  "moving/**": COPIES,
  "processes/**": PROCESSES,
  "server/erasure-health.test.ts": SQLITE,
  "server/recovery.test.ts": FILES,
  "simulator/**": SIMULATED,
  "store/migrate.test.ts": SQLITE,
  "store/old-schemas.test.ts": SQLITE,
  "store/sqlite-processes.test.ts": SQLITE,
  "store/sqlite.test.ts": SQLITE,
  "threats/audit-tampering.test.ts": FILES,
  "threats/disk-full.test.ts": FILES,
  "threats/old-and-newer-databases.test.ts": FOLDER,
  "threats/raw-files.test.ts": FILES,
};
