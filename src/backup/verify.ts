// Checks a backup: every byte of the file, the databases in it, the chains of the audit trail, and whether the root key opens
// what is sealed.
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { Redacted } from "../base";
import type { Problem } from "../audit";
import { OtherRootKey } from "../crypto";
import { RuntimeError } from "../errors";
import { newestSchema } from "../store";
import { unpack } from "./archive";
import { contentsOf, differencesOf, faultsOf } from "./contents";
import { readBackup } from "./encryption";
import { BackupFault } from "./fault";
import type { BackupManifest } from "./manifest";
import { workFolderIn } from "./work-folder";

/** A copy of the backup that was opened with the root key of this machine. */
export interface OpenedBackup {
  /** Problems of the chains of its audit trail. */
  chains(): Promise<readonly Problem[]>;
  /** How many sealed values were opened, and places of those that cannot be. */
  sealed(): Promise<{ tried: number; places: readonly string[] }>;
  close(): Promise<void>;
}

export interface VerifyRequest {
  file: string;
  identities: readonly Redacted[];
  /** Folders in which the backup may be unpacked meanwhile; default: that for temporary files, then that of the backup. */
  temporary?: readonly string[];
  /**
   * Opens the unpacked backup, which needs the root key with this id, as an installation; undefined: this machine has no root
   * key. Throws `configuration`, and `OtherRootKey` if it has another one.
   */
  open(folder: string, rootKeyId: string): Promise<OpenedBackup | undefined>;
}

export interface VerifiedBackup {
  manifest: BackupManifest;
  /** Number of sealed values that were opened; undefined: without a root key, none was. */
  opened: number | undefined;
  /** The root key of this machine, if it is not the one of the backup: no sealed value was opened. */
  otherKey?: { id: string; source: string };
  /** Sentences; empty: the backup is good. */
  problems: string[];
}

/** Throws `BackupFault` if the file cannot be read as a backup at all. */
export async function verifyBackup({
  file,
  identities,
  temporary,
  open,
}: VerifyRequest): Promise<VerifiedBackup> {
  using work = workFolderIn(temporary ?? [tmpdir(), dirname(file)]);
  const folder = work.path;
  const manifest = await unpack(await readBackup(file, identities), folder);
  refuseNewer(manifest);
  const faults = faultsOf(folder);
  if (faults.length > 0) return { manifest, opened: undefined, problems: faults };
  const contents = contentsOf(folder);
  const problems = differencesOf(manifest, contents);
  return {
    manifest,
    ...(await openedWith(() => open(folder, contents.root_key_id), problems)),
  };
}

/** Throws `BackupFault` for a backup of a newer version. */
export function refuseNewer({ version, schema }: BackupManifest): void {
  const known = newestSchema();
  if (schema.runtime <= known.runtime && schema.executions <= known.executions) return;
  throw new BackupFault(
    `The backup was made by runtime ${version}, which is newer (schema ${schema.runtime}; this version supports ` +
      `${known.runtime}). Use that version.`,
  );
}

async function openedWith(
  open: () => Promise<OpenedBackup | undefined>,
  problems: string[],
): Promise<Omit<VerifiedBackup, "manifest">> {
  let copy: OpenedBackup | undefined;
  try {
    copy = await open();
  } catch (error) {
    if (error instanceof OtherRootKey) return { opened: undefined, otherKey: error.found, problems };
    if (!(error instanceof RuntimeError)) throw error;
    return { opened: undefined, problems: [...problems, error.message] };
  }
  if (copy === undefined) return { opened: undefined, problems };
  try {
    const chains = (await copy.chains()).map(
      ({ chain, number, problem }) =>
        `Audit trail ${chain === "" ? "of the installation" : chain}, row ${number}: ${problem}.`,
    );
    const { tried, places } = await copy.sealed();
    const sealed = places.map((place) => `A stored value cannot be opened: ${place}.`);
    return { opened: tried - places.length, problems: [...problems, ...chains, ...sealed] };
  } finally {
    await copy.close();
  }
}
