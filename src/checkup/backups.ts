// Whether the backups that a server makes by itself are being made.
import { existsSync } from "node:fs";
import { type OwnBackup, ownBackups } from "../backup";
import type { Config } from "../config";
import { type Finding, ok, problem, refused, warning } from "./finding";

const HOUR_MS = 3600_000;
/** Files that a finding names. */
const MAX_NAMED = 3;
const OWN_MEANS =
  "Back it up with its own means, pg_dump or continuous archiving (docs/scaling.md), and set backup.hours to 0.";

/** Empty unless `backup.hours` is set. */
export function backupFindings(config: Config, now: number): Finding[] {
  const hours = config.settings["backup.hours"];
  if (hours === 0) return [];
  if (config.settings["database.url"] !== undefined)
    return [warning("backups", "backup.hours is set, but servers do not back up PostgreSQL.", OWN_MEANS)];
  const folder = config.backupFolder();
  if (folder === undefined)
    return [problem("backups", "backup.hours is set, but backup.folder is not.", "Set backup.folder.")];
  try {
    const { made, future } = existsSync(folder) ? ownBackups(folder, now) : { made: [], future: [] };
    return [newestFinding(folder, made[0], { hours, now }), ...futureFindings(folder, future)];
  } catch (error) {
    return [refused("backups", error)];
  }
}

function newestFinding(
  folder: string,
  newest: OwnBackup | undefined,
  { hours, now }: { hours: number; now: number },
): Finding {
  const fix = "Look for backup failed in the log of the server, and check that a server is running.";
  if (newest === undefined) return problem("backups", `There is no backup in ${folder}.`, fix);
  const age = Math.round((now - newest.at) / HOUR_MS);
  if (age <= 2 * hours) return ok("backups", `The newest one in ${folder} is ${newest.name}.`);
  return problem("backups", `The newest backup in ${folder} is ${age} hours old.`, fix);
}

function futureFindings(folder: string, future: readonly OwnBackup[]): Finding[] {
  if (future.length === 0) return [];
  const named = future.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = future.length > MAX_NAMED ? ` and ${future.length - MAX_NAMED} more` : "";
  return [
    warning(
      "backups of the future",
      `These backups in ${folder} are dated later than now: ${named.join(", ")}${more}. A clock was wrong when they were made, ` +
        "or is wrong now. Until then they do not count as backups, and no server deletes them.",
      "Check the clock. If it is right, move them to another folder, or delete them.",
    ),
  ];
}
