// `runtime database`: the databases in the data folder.
import { checkDataFolder, refuseServer } from "../client/client";
import { type Common, verb } from "../command";
import type { Io } from "../io";
import { print } from "../output";
import { loadCommonConfig, withSession } from "../session";

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
  const { pendingUpgrade } = await import("../../src/backup");
  const folder = config.dataFolder();
  const step = pendingUpgrade(folder);
  const result = { data_dir: folder, from: step?.from ?? null, to: step?.to ?? null, done: !dryRun };
  if (!dryRun) await withSession(io, common, async () => undefined, { config });
  print(io, common.output, result, () => "");
  if (step === undefined) io.note(`The databases in ${folder} need no upgrade.`);
  else if (dryRun) io.note(`Schema ${step.from} would become ${step.to}. Nothing was changed.`);
  else io.note(`Schema ${step.from} is now ${step.to}.`);
}
