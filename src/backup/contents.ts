// What a copy of the databases contains, for its manifest, and whether it is the same later.
import { join } from "node:path";
import { type ChainHead, headsIn } from "../audit";
import { dataKeysIn, namedRootIn } from "../crypto";
import { ClosedDatabase } from "../store";
import type { BackupManifest } from "./manifest";

export interface Contents extends Pick<BackupManifest, "schema" | "root_key_id" | "data_keys" | "counts"> {
  heads: ChainHead[];
}

/** Of `runtime.db` and `executions.db` in a folder, which nothing else has open. */
export function contentsOf(folder: string): Contents {
  using main = new ClosedDatabase(join(folder, "runtime.db"));
  using log = new ClosedDatabase(join(folder, "executions.db"));
  const counts = main.counts();
  const executions = Object.entries(log.counts()).map(([name, count]) => [`executions.${name}`, count]);
  return {
    schema: { runtime: main.version(), executions: log.version() },
    root_key_id: namedRootIn(main) ?? "",
    data_keys: dataKeysIn(main),
    counts: { ...counts, ...Object.fromEntries(executions) },
    // Databases of the first versions have no chains.
    heads: "audit_heads" in counts ? headsIn(main) : [],
  };
}

/** Where a backup and its manifest differ; empty: nowhere. */
export function differencesOf(manifest: BackupManifest, contents: Contents): string[] {
  const { heads, ...rest } = contents;
  const stated = {
    ...manifest,
    heads: manifest.audit_heads.map(({ chain, number, hash }) => ({ chain, number, hash })),
  };
  return Object.entries({ ...rest, heads })
    .filter(
      ([name, value]) =>
        !Bun.deepEquals(value, Object.entries(stated).find(([other]) => other === name)?.[1]),
    )
    .map(([name]) => `The manifest has another ${name} than the databases.`);
}

/** What SQLite finds wrong in the two databases; empty: nothing. */
export function faultsOf(folder: string): string[] {
  return ["runtime.db", "executions.db"].flatMap((name) => {
    try {
      using database = new ClosedDatabase(join(folder, name));
      return database.faults().map((fault) => `${name}: ${fault}`);
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : "unknown reason"}`];
    }
  });
}
