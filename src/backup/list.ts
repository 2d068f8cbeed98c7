// The backups in a folder.
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { timestamp } from "../base";
import { manifestIn } from "./archive";
import { isEncrypted } from "./encryption";

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

/** Newest first. Other files are left out. */
export async function listBackups(folder: string): Promise<ListedBackup[]> {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  const found = await Promise.all(names.map((name) => describeBackup(join(folder, name))));
  return found
    .filter((backup) => backup !== undefined)
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at));
}

/** One backup, without a check; undefined for another file. */
export async function describeBackup(file: string): Promise<ListedBackup | undefined> {
  const found = statSync(file);
  if (!found.isFile()) return undefined;
  const { size, mtimeMs } = found;
  const base = { file, bytes: size };
  if (await isEncrypted(file).catch(() => false))
    return { ...base, encrypted: true, created_at: timestamp(Math.floor(mtimeMs)) };
  const manifest = await manifestIn(createReadStream(file));
  if (manifest === undefined) return undefined;
  const { created_at, version, schema, root_key_id } = manifest;
  return { ...base, encrypted: false, created_at, version, schema: schema.runtime, root_key_id };
}
