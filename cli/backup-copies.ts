// Opens unpacked backups with the root key that they need, as far as this machine has it.
import { existsSync } from "node:fs";
import type { OpenedBackup } from "../src/backup";
import type { Config } from "../src/config";
import type { Common } from "./command";
import type { Io } from "./io";
import { loadCommonConfig, rootKeyFileOf } from "./session";

/** Sealed values of each kind that are opened as a sample, for each project. */
const SAMPLE = 100;

export interface OpeningCopies {
  /** Undefined if this machine has no root key. Throws `OtherRootKey` if it has another one. */
  open(folder: string, rootKeyId: string): Promise<OpenedBackup | undefined>;
  /** The file next to the root key that was used in its place, after a rotation. */
  readonly oldKeyFile: string | undefined;
}

export function openingCopies(io: Io, common: Common): OpeningCopies {
  let oldKeyFile: string | undefined;
  return {
    open: async (folder, rootKeyId) => {
      const config = await loadCommonConfig(io, { ...common, dataDir: folder });
      if (!hasRootKey(config)) return undefined;
      oldKeyFile = await oldKeyFileOf(config, rootKeyId);
      if (oldKeyFile === undefined) return openCopy(config);
      const audit = config.auditKeyFile();
      const env = {
        ...io.env,
        RUNTIME_ROOT_KEY_FILE: oldKeyFile,
        ...(audit === undefined ? {} : { RUNTIME_AUDIT_KEY_FILE: audit }),
      };
      return openCopy(await loadCommonConfig({ ...io, env }, { ...common, dataDir: folder }));
    },
    get oldKeyFile() {
      return oldKeyFile;
    },
  };
}

/** A start with a key that it finds next to the key file would put it into the key file, which another installation uses. */
async function oldKeyFileOf(config: Config, rootKeyId: string): Promise<string | undefined> {
  const file = isFromSource(config) ? undefined : rootKeyFileOf(config);
  if (file === undefined) return undefined;
  const { fileOfRootKey } = await import("../src/crypto");
  const found = fileOfRootKey(file, rootKeyId);
  return found === file ? undefined : found;
}

async function openCopy(config: Config): Promise<OpenedBackup> {
  const [{ createRuntime }, { extensions }, { silentLog }, { openSqlite }] = await Promise.all([
    import("../src/runtime"),
    import("../catalogs"),
    import("../src/base"),
    import("../src/store"),
  ]);
  // Files, also if servers use PostgreSQL.
  const runtime = await createRuntime(config, extensions, { log: silentLog, openStore: openSqlite });
  return {
    chains: async () => (await runtime.inspection.verify()).problems,
    sealed: async () => {
      const places: string[] = [];
      let tried = 0;
      for (const projectId of await runtime.identity.projectIds()) {
        const found = await runtime.rotation.unopenable(projectId, SAMPLE);
        tried += found.tried;
        places.push(...found.places.map(({ table, row, field }) => `${field} of ${row} in ${table}`));
      }
      return { tried, places };
    },
    close: () => runtime.close(),
  };
}

function hasRootKey(config: Config): boolean {
  const file = rootKeyFileOf(config);
  return config.rootKey !== undefined || isFromSource(config) || (file !== undefined && existsSync(file));
}

function isFromSource({ settings }: Config): boolean {
  return settings["root_key.command"] !== undefined || settings["root_key.credential"] !== undefined;
}
