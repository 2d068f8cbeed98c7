// Backups of an installation: made while it is used, checked, restored. What makes and reads archives is loaded when it is
// needed: most processes never do.
import type { BackupRequest, MadeBackup } from "./create";
import type { BackupsInFolder, DescribedBackup } from "./list";
import type { RestoreRequest } from "./restore";
import type { VerifiedBackup, VerifyRequest } from "./verify";

export { type BeforeUpgrade, backUpBeforeUpgrade, pendingUpgrade } from "./before-upgrade";
export type { MadeBackup } from "./create";
export { identitiesIn } from "./identities";
export { BackupKeeper, type MakeBackup } from "./keeper";
export type { DescribedBackup, ListedBackup } from "./list";
export type { BackupManifest } from "./manifest";
export { type OwnBackup, ownBackups } from "./own";
export { recordRestoration } from "./restored";
export { leftWorkFolders, removeWorkFolders, sweepWorkFolders, workPlaces } from "./work-folder";
export type { OpenedBackup, VerifiedBackup } from "./verify";

/** As `create.ts` says. */
export async function createBackup(request: BackupRequest): Promise<MadeBackup> {
  return (await import("./create")).createBackup(request);
}

/** As `verify.ts` says. */
export async function verifyBackup(request: VerifyRequest): Promise<VerifiedBackup> {
  return (await import("./verify")).verifyBackup(request);
}

/** As `restore.ts` says. */
export async function restoreBackup(request: RestoreRequest): Promise<VerifiedBackup> {
  return (await import("./restore")).restoreBackup(request);
}

/** As `list.ts` says. */
export async function listBackups(folder: string): Promise<BackupsInFolder> {
  return (await import("./list")).listBackups(folder);
}

/** As `list.ts` says. */
export async function describeBackup(file: string): Promise<DescribedBackup | undefined> {
  return (await import("./list")).describeBackup(file);
}
