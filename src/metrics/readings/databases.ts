// The two databases: sizes, caches, and writes that wait.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base";
import { logSchemaOf } from "../../open-postgres";
import { query, type Store } from "../../store";
import type { Family } from "../families";
import { counted, gauge } from "./gauge";
import { Remembered } from "./remembered";

export interface DatabaseParts {
  store: Store;
  logStore: Store;
  /** The data folder. */
  folder: string;
  /** The schema of the records in PostgreSQL; undefined: the databases are files. */
  schema: string | undefined;
}

/** The name of each database on the page, and its file. */
const FILES = { main: "runtime.db", log: "executions.db" } as const;

const BYTES = query<{ bytes: number }>(
  "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::double precision AS bytes FROM pg_catalog.pg_class AS c " +
    "JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind IN ('r', 'm')",
);

export function databaseFamilies(clock: Clock, { store, logStore, folder, schema }: DatabaseParts): Family[] {
  const stores = { main: store, log: logStore };
  const sizes = new Remembered(clock, async () =>
    schema === undefined ? sizesOfFiles(folder) : sizesOfSchemas(store, schema),
  );
  return [
    gauge(
      {
        name: "runtime_database_bytes",
        help:
          "Sizes of the files of the databases (main, log): the file itself and its write-ahead log (wal). On PostgreSQL: of " +
          "the tables with their indexes.",
        unit: "bytes",
        labels: ["database", "file"],
      },
      () => sizes.get(),
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

type Sizes = readonly (readonly [labels: readonly string[], bytes: number | undefined])[];

function sizesOfFiles(folder: string): Sizes {
  return Object.entries(FILES).flatMap(([database, file]) => [
    [[database, "main"], sizeOf(join(folder, file))] as const,
    [[database, "wal"], sizeOf(join(folder, `${file}-wal`))] as const,
  ]);
}

async function sizesOfSchemas(store: Store, schema: string): Promise<Sizes> {
  const { main, log } = { main: schema, log: logSchemaOf(schema) };
  const [inMain, inLog] = await Promise.all([store.get(BYTES, main), store.get(BYTES, log)]);
  return [
    [["main", "main"], inMain?.bytes],
    [["log", "main"], inLog?.bytes],
  ];
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
