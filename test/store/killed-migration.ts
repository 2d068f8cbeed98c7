// Child of `old-schemas.test.ts`: migrates a database and is killed within a migration, after its statements.
import { Database } from "bun:sqlite";
import { mainMigrations } from "../../src/store";
import { migrate } from "../../src/store/migrate";

const [file = "", version = ""] = process.argv.slice(2);
const database = new Database(file, { strict: true });
const migrations = mainMigrations.map((migration) =>
  migration.version === Number(version)
    ? {
        ...migration,
        apply: (opened: Database) => {
          migration.apply?.(opened);
          process.kill(process.pid, "SIGKILL");
        },
      }
    : migration,
);
migrate(database, migrations);
