// An installation in files, and its copy on a PostgreSQL server of the test.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { silentLog } from "../../src/base";
import type { DatabaseSettings } from "../../src/config";
import { type Checked, checkMoved, type Moved, moveToPostgres } from "../../src/moving";
import { createRuntime, type Runtime } from "../../src/runtime";
import { dataFolder } from "../backup/installation";
import { OLD_ROOT_KEY } from "../store/old-schemas";
import { loadConfig } from "../support/config";

/** Text that one of the two engines or the format of COPY treats in a special way. */
export const ODD_TEXTS = [
  "",
  "\\N",
  "\\.",
  "a\tb\nc\rd\\e\bf\fg\vh",
  "\0",
  "\ud800 lone",
  "\ue000 escape",
  "\ue0000000",
  "naïve 🙂",
  "'\"$1",
];

/** A data folder with something of each kind, and with odd texts. */
export async function oddFolder(): Promise<string> {
  const folder = await dataFolder();
  using database = new Database(join(folder, "runtime.db"));
  for (const [index, text] of ODD_TEXTS.entries())
    database.run("INSERT INTO facts (name, value) VALUES (?, ?)", [`odd ${index}`, text]);
  using log = new Database(join(folder, "executions.db"));
  for (const [index, ms] of [0, 0.1, 1e-5, 1.5e-7, 1 / 3, 123456789.25, 1e15, 1.25e21].entries())
    log.run(
      "INSERT INTO executions (id, execution_id, project_id, user_id, actor, tool, status, duration_ms, created_at) " +
        "VALUES (?, 'x', 'default', 'alice', 'key', 'A.B', 'success', ?, 1700000000000)",
      // In an order that is not that of the ids.
      [`ex_${9 - index}`, ms],
    );
  return folder;
}

export interface Place {
  folder: string;
  url: string;
  schema: string;
}

export function placeEnvironment({ folder, url, schema }: Place): Record<string, string> {
  return {
    HOME: folder,
    RUNTIME_DATA_DIR: folder,
    RUNTIME_ROOT_KEY: OLD_ROOT_KEY,
    RUNTIME_DATABASE_URL: url,
    RUNTIME_DATABASE_SCHEMA: schema,
  };
}

function configOf(place: Place) {
  const config = loadConfig({ environment: placeEnvironment(place) });
  const database = config.database();
  if (database === undefined) throw new Error("database.url is not set");
  return { config, database };
}

export function move(
  place: Place,
  progress: (table: string, rows: number, total: number) => void = () => undefined,
): Promise<Moved> {
  return moveToPostgres({ ...configOf(place), log: silentLog, progress });
}

/** `compared: false`: PostgreSQL alone. */
export function check(place: Place, { compared = true } = {}): Promise<Checked> {
  const database: DatabaseSettings = configOf(place).database;
  const folder = compared ? place.folder : undefined;
  return checkMoved({ database, folder, progress: () => undefined });
}

/** The services on PostgreSQL. */
export function open(place: Place): Promise<Runtime> {
  return createRuntime(configOf(place).config, extensions, { log: silentLog });
}
