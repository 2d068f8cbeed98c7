// A backup of databases that this version is about to change.
import { existsSync, mkdirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base";
import { configurationError, RuntimeError } from "../errors";
import { newestSchema, schemaOf } from "../store";
import type { BackupManifest } from "./manifest";

/** Of 64 hex digits; enough for the few backups of one folder. */
const DIGEST_LENGTH = 16;

export interface BeforeUpgrade {
  /** The data folder. */
  folder: string;
  /** Where the backup is put; undefined: `backups` in the data folder. */
  backups: string | undefined;
  recipients: readonly string[];
  /** Those that differ from the defaults, without secrets. */
  settings: Readonly<Record<string, unknown>>;
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
 * Makes the backup unless there is one of the same contents, as that of a start before whose upgrade failed. Names end with a
 * digest of the contents: times would say nothing after a clock was wrong. Another process may do the same at the same time.
 * Throws `configuration` if it cannot be made: then nothing is upgraded.
 */
export async function backUpBeforeUpgrade({
  folder,
  backups,
  recipients,
  settings,
  log,
}: BeforeUpgrade): Promise<void> {
  const step = pendingUpgrade(folder);
  if (step === undefined) return;
  const place = backups ?? join(folder, "backups");
  const prefix = `before-schema-${step.to}-from-${step.from}-`;
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    requireRoom(folder, place);
    const { createBackupFor } = await import("./create");
    const now = Date.now();
    const made = await createBackupFor({ folder, recipients, settings, now }, place, (manifest) => {
      const end = `-${digestOf(manifest)}.backup${recipients.length > 0 ? ".age" : ""}`;
      const isKept = readdirSync(place).some((name) => name.startsWith(prefix) && name.endsWith(end));
      const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
      return isKept ? undefined : join(place, `${prefix}${time}Z${end}`);
    });
    if (made !== undefined)
      log.info("backup made before the upgrade", { file: made.file, from: step.from, to: step.to });
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

/** Of the databases: copies of the same rows have the same bytes. */
function digestOf({ files }: BackupManifest): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const { name, sha256 } of files) if (name.endsWith(".db")) hasher.update(`${name} ${sha256}\n`);
  return hasher.digest("hex").slice(0, DIGEST_LENGTH);
}

/** The copies and the file that is made of them. */
function requireRoom(folder: string, place: string): void {
  const needed =
    ["runtime.db", "executions.db"].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) * 2;
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < needed) throw new Error(`it needs about ${Math.ceil(needed / 1_000_000)} MB of room`);
}
