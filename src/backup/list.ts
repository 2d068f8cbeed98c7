// The backups in a folder.
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { present, timestamp } from "../base";
import { descriptionIn } from "./archive";
import { isEncrypted } from "./encryption";
import { BackupFault } from "./fault";

export interface ListedBackup {
  file: string;
  bytes: number;
  encrypted: boolean;
  /** When it was made; of an encrypted one, when its file was last changed. */
  created_at: string;
  /** The version that made it; unknown of an encrypted one. */
  version?: string;
  schema?: number;
  root_key_id?: string;
}

export interface DescribedBackup extends ListedBackup {
  /** Those that differed from the defaults, never secrets; unknown of an encrypted one. */
  settings?: Readonly<Record<string, unknown>>;
}

export interface BackupsInFolder {
  /** Newest first. */
  backups: ListedBackup[];
  /** Why other files cannot be read: errors of the file system. They may be backups. */
  unreadable: Error[];
}

/** Files that are not backups are left out. */
export async function listBackups(folder: string): Promise<BackupsInFolder> {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  const found = await Promise.all(names.map((name) => described(join(folder, name))));
  const backups = found.flatMap((one) => (one === undefined || one instanceof Error ? [] : [one]));
  return {
    backups: backups
      .map(({ settings: _settings, ...listed }) => listed)
      .toSorted((one, other) => other.created_at.localeCompare(one.created_at)),
    unreadable: found.filter((one) => one instanceof Error),
  };
}

async function described(file: string): Promise<DescribedBackup | Error | undefined> {
  try {
    return await describeBackup(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    // It was removed meanwhile, or is a link to nothing.
    return error.code === "ENOENT" ? undefined : error;
  }
}

/** One backup, without a check; undefined for another file. Throws what the file system throws. */
export async function describeBackup(file: string): Promise<DescribedBackup | undefined> {
  const found = statSync(file);
  if (!found.isFile()) return undefined;
  const { size, mtimeMs } = found;
  const base = { file, bytes: size };
  if (await isEncrypted(file).catch(unlessFault))
    return { ...base, encrypted: true, created_at: timestamp(Math.floor(mtimeMs)) };
  const description = await descriptionIn(createReadStream(file));
  if (description === undefined) return undefined;
  const { created_at, version, schema, root_key_id } = description.manifest;
  return {
    ...base,
    encrypted: false,
    created_at,
    version,
    schema: schema.runtime,
    root_key_id,
    ...present({ settings: description.settings }),
  };
}

function unlessFault(error: unknown): false {
  if (error instanceof BackupFault) return false;
  throw error;
}
