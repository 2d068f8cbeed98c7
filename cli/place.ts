// Where commands without a server work, for people.
import type { Config } from "../src/config";

/** `the data folder /var/lib/runtime`, `the database db1:5432, database runtime, user runtime` */
export async function placeOf(config: Config): Promise<string> {
  const database = config.database();
  if (database === undefined) return `the data folder ${config.dataFolder()}`;
  const { parseDatabaseUrl, shownDatabase } = await import("../src/config");
  return `the database ${shownDatabase(parseDatabaseUrl(database.url.reveal()))}`;
}
