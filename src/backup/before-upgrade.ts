// A backup of databases that this version is about to change.
import { existsSync, mkdirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base";
import { configurationError, RuntimeError } from "../errors";
import { newestSchema, schemaOf } from "../store";
import { isFuture } from "./own";

export interface BeforeUpgrade {
  /** The data folder. */
  folder: string;
  /** Where the backup is put; undefined: `backups` in the data folder. */
  backups: string | undefined;
  recipients: readonly string[];
  log: Log;
}

/** What an upgrade would change; undefined: nothing. Numbers of migrations. */
export function pendingUpgrade(folder: string): { from: number; to: number } | undefined {
  const [main, log] = [join(folder, "runtime.db"), join(folder, "executions.db")];
  if (!existsSync(main) || !existsSync(log)) return undefined;
  const [found, known] = [{ runtime: schemaOf(main), executions: schemaOf(log) }, newestSchema()];
  if (found.runtime === 0 || found.runtime > known.runtime || found.executions > known.executions)
    return undefined;
  // Another process is creating the folder: it writes the records first, so the log may still be empty.
  const isLogCurrent = found.executions === known.executions || found.executions === 0;
  if (found.runtime === known.runtime && isLogCurrent) return undefined;
  return { from: found.runtime, to: known.runtime };
}

/**
 * Makes the backup unless there is one of this step that is newer than the databases. Another process may do the same at the same time. Throws `configuration` if
 * it cannot be made: then nothing is upgraded.
 */
export async function backUpBeforeUpgrade({
  folder,
  backups,
  recipients,
  log,
}: BeforeUpgrade): Promise<void> {
  const step = pendingUpgrade(folder);
  if (step === undefined) return;
  const place = backups ?? join(folder, "backups");
  const prefix = `before-schema-${step.to}-from-${step.from}-`;
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const now = Date.now();
    if (newestOf(place, prefix, now) >= changedAt(folder)) return;
    const day = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
    const file = join(place, `${prefix}${day}Z.backup${recipients.length > 0 ? ".age" : ""}`);
    requireRoom(folder, place);
    const { createBackup } = await import("./create");
    await createBackup({ folder, file, recipients, settings: {}, now });
    log.info("backup made before the upgrade", { file, from: step.from, to: step.to });
  } catch (error) {
    if (error instanceof RuntimeError && error.name === "already_exists") return;
    const reason = error instanceof Error ? error.message.replace(/\.$/, "") : "unknown reason";
    throw configurationError(
      `The databases must be upgraded from schema ${step.from} to ${step.to}, but the backup before it cannot be made in ` +
        `${place}: ${reason}. Make room, set backup.folder, or upgrade without it: runtime database migrate --no-backup`,
      { cause: error },
    );
  }
}

/** When the newest backup of a step was made; 0: there is none. One of a clock that was ahead does not count. */
function newestOf(place: string, prefix: string, now: number): number {
  const names = readdirSync(place).filter((name) => name.startsWith(prefix));
  const times = names.map((name) => statSync(join(place, name)).mtimeMs);
  return Math.max(0, ...times.filter((at) => !isFuture(at, now)));
}

/** When something was written last, also if it is only in a log. */
function changedAt(folder: string): number {
  const names = ["runtime.db", "runtime.db-wal", "executions.db", "executions.db-wal"];
  return Math.max(
    ...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

/** The copies and the file that is made of them. */
function requireRoom(folder: string, place: string): void {
  const needed =
    ["runtime.db", "executions.db"].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) * 2;
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < needed) throw new Error(`it needs about ${Math.ceil(needed / 1_000_000)} MB of room`);
}
