// Checks an installation on PostgreSQL, and compares it with the files that it was copied from.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { verifyUnsigned } from "../audit";
import type { DatabaseSettings } from "../config";
import { configurationError } from "../errors";
import { connectorsOf } from "../open-postgres";
import { type CheckedDatabase, checkPostgres, newestSchema, StoppedDatabase } from "../store";
import { installationsOf } from "./copy";

export interface Checked extends CheckedDatabase {
  /** Hosts, database and user. */
  database: string;
  schema: string;
  /** The data folder that was compared; null: there are no files. */
  data_dir: string | null;
  /** Nothing is wrong and nothing differs. */
  ok: boolean;
}

export interface CheckRequest {
  database: DatabaseSettings;
  /** Undefined: only PostgreSQL is checked. */
  folder: string | undefined;
  progress(what: string): void;
}

/** Throws `configuration` if there is no installation in PostgreSQL, and `unavailable`. */
export async function checkMoved({ database, folder, progress }: CheckRequest): Promise<Checked> {
  const { connector } = connectorsOf(database);
  const { runtime, executions } = installationsOf(database.schema);
  const [main, log] = [
    filed(folder, "runtime.db", newestSchema().runtime),
    filed(folder, "executions.db", newestSchema().executions),
  ];
  try {
    const found = await checkPostgres({
      connector,
      parts: [
        { name: "runtime", source: main, ...runtime },
        { name: "executions", source: log, ...executions },
      ],
      progress,
      verify: async (records) => {
        const { problems } = await verifyUnsigned(records);
        return problems.map(
          ({ chain, number, problem }) => `The audit trail of ${chain} at row ${number}: ${problem}.`,
        );
      },
    });
    const ok = found.problems.length === 0 && (found.tables ?? []).every(({ same }) => same);
    const compared = main === undefined ? null : (folder ?? null);
    return { database: connector.shown, schema: database.schema, data_dir: compared, ok, ...found };
  } finally {
    main?.[Symbol.dispose]();
    log?.[Symbol.dispose]();
  }
}

function filed(folder: string | undefined, name: string, known: number): StoppedDatabase | undefined {
  const file = folder === undefined ? undefined : join(folder, name);
  if (file === undefined || !existsSync(file)) return undefined;
  const database = new StoppedDatabase(file, { exclusive: false });
  if (database.version() === known) return database;
  database[Symbol.dispose]();
  throw configurationError(
    `${file} was written by another version of runtime. Compare it with that version.`,
  );
}
