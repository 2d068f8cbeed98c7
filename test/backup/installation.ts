// An installation of an earlier version with something of each kind in it, opened, and its backup.
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { createBackup, type MadeBackup, type OpenedBackup } from "../../src/backup";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { OLD_ROOT_KEY, writeOldSchema } from "../store/old-schemas";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";

export const SCHEMA = 23;

export async function openFolder(folder: string, rootKey = OLD_ROOT_KEY): Promise<Runtime> {
  const config = loadConfig({
    environment: { HOME: folder, RUNTIME_DATA_DIR: folder, RUNTIME_ROOT_KEY: rootKey },
  });
  return createRuntime(config, extensions, { log: silentLog });
}

/** Opens an unpacked backup as the command does. */
export function openingWith(rootKey = OLD_ROOT_KEY): (folder: string) => Promise<OpenedBackup> {
  return async (folder) => {
    const runtime = await openFolder(folder, rootKey);
    return {
      chains: async () => (await runtime.inspection.verify()).problems,
      sealed: async () => {
        const { tried, places } = await runtime.rotation.unopenable("default", 1000);
        return { tried, places: places.map(({ table, row, field }) => `${field} of ${row} in ${table}`) };
      },
      close: () => runtime.close(),
    };
  };
}

/** A data folder that is up to date. */
export async function dataFolder(): Promise<string> {
  const folder = join(temporaryFolder(), "data");
  writeOldSchema(SCHEMA, folder);
  await (await openFolder(folder)).close();
  return folder;
}

export function backUp(
  folder: string,
  file: string,
  recipients: readonly string[] = [],
): Promise<MadeBackup> {
  return createBackup({ folder, file, recipients, settings: { port: 9100 }, now: Date.now() });
}
