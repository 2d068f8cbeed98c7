// The databases on PostgreSQL: two schemas of one database. The execution log has its own, because its commits need not
// wait for the disk, and a long log must not delay the records.
import type { Log } from "./base";
import type { DatabaseSettings } from "./config";
import {
  connectorOf,
  type Connector,
  executionLogMigrations,
  mainMigrations,
  openPostgres,
  passwordReader,
  type PostgresStore,
  type Store,
} from "./store";

/** The schema of the execution log is named after that of the records. */
export const logSchemaOf = (schema: string): string => `${schema}_executions`;

/** Throws `configuration` or `unavailable` with a one-line reason. */
export async function openPostgresStores(
  database: DatabaseSettings,
  { instance, log }: { instance: string; log: Log },
): Promise<{ store: Store; logStore: Store }> {
  const { schema, connections } = database;
  const connectors = connectorsOf(database);
  // The log reads little: a page of it now and then.
  const forLog = Math.max(2, Math.floor(connections / 4));
  const opened: PostgresStore[] = [];
  const open = (
    options: Pick<Parameters<typeof openPostgres>[0], "schema" | "migrations" | "durability" | "connections">,
  ) => {
    const store = openPostgres({ ...connectors, ...options, instance });
    opened.push(store);
    return store;
  };
  try {
    const store = open({
      schema,
      migrations: mainMigrations,
      connections: Math.max(2, connections - forLog),
    });
    await store.ready();
    const logStore = open({
      schema: logSchemaOf(schema),
      migrations: executionLogMigrations,
      durability: "normal",
      connections: forLog,
    });
    await logStore.ready();
    log.info("database", { engine: "postgres", database: connectors.connector.shown, schema });
    return { store, logStore };
  } catch (error) {
    for (const store of opened) await store.close();
    throw error;
  }
}

export function connectorsOf(
  database: DatabaseSettings,
): Record<"connector" | "migrator" | "listener", Connector> {
  const password = passwordReader(database);
  const to = (url: DatabaseSettings["url"]): Connector =>
    connectorOf({
      url: url.reveal(),
      ...(password === undefined ? {} : { password }),
      preparedStatements: database.preparedStatements,
      applicationName: "runtime",
    });
  return { connector: to(database.url), migrator: to(database.migrateUrl), listener: to(database.listenUrl) };
}
