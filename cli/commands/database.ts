// `runtime database`: the databases in the data folder, and on PostgreSQL.
import { checkDataFolder, refuseServer } from "../client/client";
import { type Common, verb } from "../command";
import { check, copy } from "../database-moves";
import type { Io } from "../io";
import { print } from "../output";
import { placeOf } from "../place";
import { loadCommonConfig, withSession } from "../session";

const TO = "PostgreSQL database, as a URL without a password; default: database.url (RUNTIME_DATABASE_URL)";

export const verbs = [
  verb({
    usage: "migrate",
    summary:
      "Upgrade the databases of an older version, after a backup. Every start does the same; this command does only that. " +
      "Stop the servers of the older version first.",
    examples: ["runtime database migrate --dry-run", "runtime database migrate"],
    flags: [
      { flag: "--dry-run", meaning: "only show what would change" },
      { flag: "--no-backup", meaning: "make no backup before it" },
    ],
    read: (line) => ({ dryRun: line.has("dry-run"), backup: line.toggle("backup") !== false }),
    run: migrate,
  }),
  verb({
    usage: "copy",
    summary:
      "Copy the installation in the data folder to PostgreSQL. Stop all servers first. All or nothing: if it is interrupted, " +
      "run it again. The password comes from database.password_file, database.password_command or RUNTIME_DATABASE_URL. " +
      "The root key is not copied.",
    examples: ["runtime database copy --to postgres://runtime@db1.example.com/runtime"],
    flags: [{ flag: "--to <url>", meaning: TO }],
    read: (line) => ({ to: line.text("to") }),
    run: copy,
  }),
  verb({
    usage: "check",
    summary:
      "Check an installation on PostgreSQL: tables, data keys of sealed values, counters, audit trail. If the data folder has " +
      "an installation, compare every row with it, as after a copy. Exits 1 if anything is wrong or differs.",
    examples: ["runtime database check --to postgres://runtime@db1.example.com/runtime"],
    flags: [
      { flag: "--to <url>", meaning: TO },
      { flag: "--no-compare", meaning: "do not compare it with the data folder" },
    ],
    read: (line) => ({ to: line.text("to"), compare: line.toggle("compare") !== false }),
    run: check,
  }),
];

async function migrate(
  io: Io,
  common: Common,
  { dryRun, backup }: { dryRun: boolean; backup: boolean },
): Promise<void> {
  refuseServer(common, "database migrate");
  const flags = backup ? {} : { "backup.before_upgrade": "false" };
  const config = await loadCommonConfig(io, common, { flags });
  checkDataFolder(common, config);
  const database = config.database();
  const folder = config.dataFolder();
  const step =
    database === undefined
      ? (await import("../../src/backup")).pendingUpgrade(folder)
      : await (await import("../../src/installed")).pendingPostgresUpgrade(database);
  const shown = database === undefined ? folder : (await placeOf(config)).replace("the database ", "");
  const result = {
    ...(database === undefined ? { data_dir: folder } : { database: shown }),
    from: step?.from ?? null,
    to: step?.to ?? null,
    done: !dryRun,
  };
  if (!dryRun) await withSession(io, common, async () => undefined, { config });
  print(io, common.output, result, () => "");
  if (step === undefined) io.note(`The databases in ${shown} need no upgrade.`);
  else if (dryRun) io.note(`Schema ${step.from} would become ${step.to}. Nothing was changed.`);
  else io.note(`Schema ${step.from} is now ${step.to}.`);
  if (database !== undefined && step !== undefined && step.from > 0) io.note(OWN_MEANS);
}

const OWN_MEANS =
  "No backup is made of PostgreSQL: use its own means, pg_dump or continuous archiving, before an upgrade (docs/scaling.md).";
