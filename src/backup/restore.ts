// Puts a backup into a data folder that has no installation yet.
import { existsSync, linkSync, mkdirSync, openSync, closeSync, fsyncSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { syncFolder } from "../crypto";
import { alreadyExists } from "../errors";
import { changeCopy, companionsOf, SET_FACT } from "../store";
import { SUSPECT_DUE_RUNS } from "../tools";
import { unpack } from "./archive";
import { readBackup } from "./encryption";
import { BackupFault } from "./fault";
import type { BackupManifest } from "./manifest";
import { RESTORED } from "./restored";
import { WorkFolder } from "./work-folder";
import { type VerifiedBackup, verifyBackup, type VerifyRequest } from "./verify";

export interface RestoreRequest extends Omit<VerifyRequest, "temporary"> {
  /** The data folder; made if it does not exist. */
  folder: string;
  now: number;
}

/**
 * Restores a backup after all of it was checked. Nothing is left in the folder if that fails. Throws `already_exists` for a
 * folder with an installation, and `BackupFault`.
 */
export async function restoreBackup({
  folder: given,
  now,
  ...request
}: RestoreRequest): Promise<VerifiedBackup> {
  const folder = resolve(given);
  refuseUsed(folder);
  const isNew = !existsSync(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let isDone = false;
  try {
    using work = new WorkFolder(folder);
    const verified = await verifyBackup({ ...request, temporary: [work.path] });
    if (verified.problems.length > 0) throw new BackupFault(verified.problems.join(" "));
    if (verified.otherKey !== undefined) throw otherKeyFault(verified.otherKey, verified.manifest);
    // Once more, because the check has migrated its copy.
    await unpack(await readBackup(request.file, request.identities), work.path);
    markRestored(join(work.path, "runtime.db"), verified.manifest, now);
    refuseUsed(folder);
    // The main database last: a folder without it is not an installation.
    for (const name of ["executions.db", "runtime.db"]) place(join(work.path, name), join(folder, name));
    syncFolder(folder);
    isDone = true;
    return verified;
  } finally {
    if (!isDone && isNew) rmSync(folder, { recursive: true, force: true });
  }
}

function otherKeyFault(
  { id, source }: NonNullable<VerifiedBackup["otherKey"]>,
  manifest: BackupManifest,
): BackupFault {
  return new BackupFault(
    `The backup needs the root key with the id ${manifest.root_key_id}, but that of ${source} has the id ${id}. Nothing was ` +
      "restored. Set RUNTIME_ROOT_KEY_FILE for this command to the file with the right key.",
  );
}

function markRestored(file: string, { counts, created_at }: BackupManifest, now: number): void {
  changeCopy(file, [
    // Databases of the first versions have no scheduled runs.
    ...("scheduled_runs" in counts ? [{ statement: SUSPECT_DUE_RUNS, params: [now, now] }] : []),
    { statement: SET_FACT, params: [RESTORED, JSON.stringify({ created_at })] },
  ]);
}

function refuseUsed(folder: string): void {
  const files = ["runtime.db", "executions.db"].map((name) => join(folder, name));
  const used = files.find((file) => existsSync(file));
  if (used !== undefined)
    throw alreadyExists(
      `${folder} is in use: it contains ${basename(used)}. Restore into another folder, or stop the servers and move this one away.`,
    );
  // SQLite would apply them to the restored databases.
  const left = files.flatMap(companionsOf).map((file) => basename(file));
  if (left.length === 0) return;
  throw alreadyExists(
    `${folder} contains ${left.join(", ")} of a former installation, with changes that are not in the backup. Restore into ` +
      "another folder, or move these files to where its databases are.",
  );
}

// `link` fails if the file exists by now.
function place(from: string, to: string): void {
  const descriptor = openSync(from, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  linkSync(from, to);
}
