// Makes a backup of a data folder that servers may be using.
import { existsSync, linkSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { version } from "../../package.json";
import type { ChainHead, SignedHead } from "../audit";
import { syncFolder } from "../crypto";
import { alreadyExists, configurationError } from "../errors";
import { copyDatabase } from "../store";
import { archiveOf, CONTENTS, digestOf, MANIFEST, SETTINGS, SUMS, sumsOf, writeDurably } from "./archive";
import { contentsOf } from "./contents";
import { encrypted } from "./encryption";
import { type BackupManifest, FORMAT, manifestText } from "./manifest";
import { WorkFolder } from "./work-folder";

export interface BackupRequest {
  /** The data folder. */
  folder: string;
  /** The new file. Its folder must exist. */
  file: string;
  /** Public keys of age (`age1…`). Empty: the file is not encrypted. */
  recipients: readonly string[];
  /** Settings to keep for the person who restores it. Without secrets. */
  settings: Readonly<Record<string, unknown>>;
  now: number;
  /** Signs the ends of the chains of the audit trail. Absent: they are not signed. */
  sign?: (heads: readonly ChainHead[]) => readonly SignedHead[];
}

export interface MadeBackup {
  file: string;
  bytes: number;
  encrypted: boolean;
  manifest: BackupManifest;
}

/**
 * Writes the file when it is complete, and never over another. What was acknowledged before the call is in it. Throws
 * `already_exists`, `configuration`, and what the file system throws.
 */
export async function createBackup(request: BackupRequest): Promise<MadeBackup> {
  const file = resolve(request.file);
  if (existsSync(file)) throw alreadyExists(`${file} exists. Give the name of a new file.`);
  if (!existsSync(join(request.folder, "runtime.db")))
    throw configurationError(`${request.folder} contains no installation, so there is nothing to back up.`);
  using work = new WorkFolder(dirname(file));
  return await packed(request, work, await collect(request, work.path), file);
}

/**
 * The same in the folder `place`, under a path that follows from the contents. Undefined: `fileFor` has given none, and nothing
 * is kept.
 */
export async function createBackupFor(
  request: Omit<BackupRequest, "file">,
  place: string,
  fileFor: (manifest: BackupManifest) => string | undefined,
): Promise<MadeBackup | undefined> {
  using work = new WorkFolder(place);
  const manifest = await collect(request, work.path);
  const file = fileFor(manifest);
  return file === undefined ? undefined : await packed(request, work, manifest, file);
}

async function packed(
  { recipients }: Pick<BackupRequest, "recipients">,
  work: WorkFolder,
  manifest: BackupManifest,
  file: string,
): Promise<MadeBackup> {
  const archive = archiveOf(work.path, manifest.created_at);
  const draft = join(work.path, "backup");
  await writeDurably(draft, recipients.length === 0 ? archive : await encrypted(archive, recipients));
  publish(draft, file);
  syncFolder(dirname(file));
  return { file, bytes: statSync(file).size, encrypted: recipients.length > 0, manifest };
}

/** `link` fails if another process has made the file by now. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw alreadyExists(`${file} exists. Give the name of a new file.`);
    throw error;
  }
}

async function collect(
  { folder, settings, now, sign }: Omit<BackupRequest, "file">,
  work: string,
): Promise<BackupManifest> {
  // The log of executions first: an execution that it names may be younger than the records, never the other way round.
  for (const name of ["executions.db", "runtime.db"]) copyDatabase(join(folder, name), join(work, name));
  writeFileSync(join(work, SETTINGS), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  const { heads, ...contents } = contentsOf(work);
  const files = await Promise.all(
    CONTENTS.map(async (name) => {
      const path = join(work, name);
      return { name, size: statSync(path).size, sha256: await digestOf(path) };
    }),
  );
  const manifest: BackupManifest = {
    format: FORMAT,
    // Whole seconds, as in the headers of the archive.
    created_at: new Date(Math.floor(now / 1000) * 1000).toISOString(),
    version,
    ...contents,
    audit_heads: [...(sign?.(heads) ?? heads)],
    files,
  };
  writeFileSync(join(work, MANIFEST), manifestText(manifest), { mode: 0o600 });
  writeFileSync(join(work, SUMS), await sumsOf(work), { mode: 0o600 });
  return manifest;
}
