// The two databases: sizes, caches, and writes that wait.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../store";
import type { Family } from "../families";
import { counted, gauge } from "./gauge";

export interface DatabaseParts {
  store: Store;
  logStore: Store;
  /** The data folder. */
  folder: string;
}

/** The name of each database on the page, and its file. */
const FILES = { main: "runtime.db", log: "executions.db" } as const;

export function databaseFamilies({ store, logStore, folder }: DatabaseParts): Family[] {
  const stores = { main: store, log: logStore };
  return [
    gauge(
      {
        name: "runtime_database_bytes",
        help: "Sizes of the files of the databases (main, log): the file itself and its write-ahead log (wal).",
        unit: "bytes",
        labels: ["database", "file"],
      },
      () =>
        Object.entries(FILES).flatMap(([database, file]) => [
          [[database, "main"], sizeOf(join(folder, file))] as const,
          [[database, "wal"], sizeOf(join(folder, `${file}-wal`))] as const,
        ]),
    ),
    gauge(
      {
        name: "runtime_database_writes_waiting",
        help: "Writes that wait for a transaction, by database.",
        labels: ["database"],
      },
      () => Object.entries(stores).map(([name, { use }]) => [[name], use?.waitingWrites] as const),
    ),
    counted(
      {
        name: "runtime_cache_requests",
        help: "Look-ups in the caches of records, by kind of the records and result (hit, miss).",
        labels: ["cache", "result"],
      },
      () =>
        [...(store.use?.caches ?? [])].flatMap(([kind, { hits, misses }]) => [
          [[kind, "hit"], hits] as const,
          [[kind, "miss"], misses] as const,
        ]),
    ),
  ];
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
