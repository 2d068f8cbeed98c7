// `runtime database copy` and `check`: from the data folder to PostgreSQL, and whether the two are the same.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config, DatabaseSettings } from "../src/config";
import type { Checked } from "../src/moving";
import { refuseServer } from "./client/client";
import type { Common } from "./command";
import { counted } from "./counted";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { print } from "./output";
import { printable } from "./printable";
import { withProgress } from "./progress";
import { loadCommonConfig } from "./session";

export async function copy(io: Io, common: Common, { to }: { to: string | undefined }): Promise<void> {
  refuseServer(common, "database copy");
  const { config, database } = await targetOf(io, common, to);
  const [{ moveToPostgres }, { commandLine, createLog, systemClock: clock }] = await Promise.all([
    import("../src/moving"),
    import("../src/base"),
  ]);
  const log = createLog({ level: "warn", clock, write: (line) => io.note(line), format: commandLine });
  let state = "Opening";
  const progress = (table: string, rows: number, total: number): void => {
    state = total === 0 ? table : `${table}: ${rows} of ${total} rows`;
  };
  const moving = moveToPostgres({ config, database, log, progress });
  const moved = await withProgress(io, () => state, moving);
  print(io, common.output, moved, () =>
    moved.tables
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows }) => `${String(rows).padStart(10)}  ${table}\n`)
      .join(""),
  );
  const { from, schema, rows, tables, audit } = moved;
  io.note(
    io.notePaint.green(
      `${counted(rows, "row")} of ${counted(tables.length, "table")} are in ${moved.to}, schema ${schema}. All counts are ` +
        `equal, and the audit trail is intact (${counted(audit.rows, "row")}).`,
    ),
  );
  if (moved.forbidden_tables > 0)
    io.note(
      `The user of database.url may not read and write ${counted(moved.forbidden_tables, "table")} yet. What to grant: runtime doctor`,
    );
  io.note(
    `The root key (${moved.root_key_id}) was not copied: give the same one to every server. Set database.url for all of them, ` +
      `then move runtime.db and executions.db out of ${from}, so that no server uses them by mistake.`,
  );
}

export async function check(
  io: Io,
  common: Common,
  { to, compare }: { to: string | undefined; compare: boolean },
): Promise<number> {
  refuseServer(common, "database check");
  const { config, database } = await targetOf(io, common, to);
  const { checkMoved } = await import("../src/moving");
  let state = "Opening";
  const progress = (what: string): void => void (state = what);
  const checking = checkMoved({ database, folder: compare ? folderOf(config) : undefined, progress });
  const checked = await withProgress(io, () => state, checking);
  print(io, common.output, { ...checked, tables: checked.tables ?? null }, () => linesOf(checked));
  if (checked.ok) io.note(io.notePaint.green(goodNote(checked)));
  else
    io.note(
      "PostgreSQL is not right, or differs from the data folder. Do not start a server on it before this is clear.",
    );
  return checked.ok ? EXIT.ok : EXIT.error;
}

/** With the files of an installation; a folder for PostgreSQL may be missing. */
function folderOf(config: Config): string | undefined {
  let folder: string;
  try {
    folder = config.dataFolder();
  } catch {
    // There is no home folder, so there are no files.
    return undefined;
  }
  return existsSync(join(folder, "runtime.db")) ? folder : undefined;
}

function goodNote({ data_dir, tables = [], database }: Checked): string {
  if (data_dir === null)
    return `The installation in ${database} is good. There are no files to compare it with.`;
  const rows = tables.reduce((sum, { postgresql_rows }) => sum + postgresql_rows, 0);
  return `The installation in ${database} is good, and has the same ${counted(rows, "row")} as ${data_dir}.`;
}

function linesOf({ tables = [], problems }: Checked): string {
  const differing = tables
    .filter(({ same }) => !same)
    .map(({ table, sqlite_rows, postgresql_rows, differing: keys }) => {
      const named = keys.length === 0 ? "" : `; for example ${keys.map(printable).join(", ")}`;
      return `${table}: ${sqlite_rows} rows in the data folder, ${postgresql_rows} in PostgreSQL, not the same${named}\n`;
    });
  return [...differing, ...problems.map((problem) => `${printable(problem)}\n`)].join("");
}

/** The configuration, and the database that `--to` or the settings name. Throws `usage` and `configuration`. */
async function targetOf(
  io: Io,
  common: Common,
  to: string | undefined,
): Promise<{ config: Config; database: DatabaseSettings }> {
  const { parseDatabaseUrl, passwordInArgument, shownDatabase } = await import("../src/config");
  const address = to === undefined ? undefined : parseDatabaseUrl(to);
  if (address?.password !== undefined) throw new UsageError(`--to: ${passwordInArgument("database.url")}`);
  const config = await loadCommonConfig(io, { ...common, database: to ?? common.database });
  const database = config.database();
  if (database === undefined)
    throw new UsageError(
      "--to URL is required, for example postgres://runtime@db1.example.com/runtime, or set database.url (RUNTIME_DATABASE_URL).",
    );
  if (address === undefined) return { config, database };
  // The password of another user or host is not sent to this one.
  const other = await loadCommonConfig({ ...io, note: () => undefined }, common);
  const own = other.settings["database.url"] === undefined ? undefined : other.database()?.url;
  const isSame =
    own !== undefined && shownDatabase(parseDatabaseUrl(own.reveal())) === shownDatabase(address);
  if (!isSame) return { config, database };
  const { url, migrateUrl, listenUrl } = database;
  const kept = (each: typeof url): typeof url => (each === url ? own : each);
  return {
    config,
    database: { ...database, url: own, migrateUrl: kept(migrateUrl), listenUrl: kept(listenUrl) },
  };
}
