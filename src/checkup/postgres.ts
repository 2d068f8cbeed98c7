// Checks of a PostgreSQL database: the connection, the server, the user, notifications, and the clocks.
import { type DatabaseSettings, parseDatabaseUrl } from "../config";
import { connectorsOf, logSchemaOf } from "../open-postgres";
import { hearsNotifications, newestSchema, type ServerFacts, serverFacts } from "../store";
import { type Finding, ok, problem, refused, warning } from "./finding";

const OLDEST = 130_000;
/** A request waits for several answers. */
const SLOW_MS = 10;
const MOST_SKEW_MS = 2000;

export interface PostgresFindings {
  findings: Finding[];
  /** There are tables of this version. */
  isInstalled: boolean;
}

export async function checkPostgresServer(database: DatabaseSettings): Promise<PostgresFindings> {
  const { connector, migrator, listener } = connectorsOf(database);
  let facts: ServerFacts;
  try {
    facts = await serverFacts(connector, [database.schema, logSchemaOf(database.schema)]);
  } catch (error) {
    return { findings: [refused("database", error)], isInstalled: false };
  }
  const findings = [
    connectionFinding(facts),
    tlsFinding(facts, database),
    userFinding(facts, database),
    clockFinding(facts),
    ...versionFindings(facts, database),
    ...(await migratorFindings(database, migrator)),
    await notificationFinding(listener, connector),
  ];
  const known = newestSchema();
  const [runtime = 0, executions = 0] = facts.versions;
  return { findings, isInstalled: runtime === known.runtime && executions === known.executions };
}

function connectionFinding({
  host,
  version,
  shownVersion,
  encoding,
  connectMs,
  answerMs,
}: ServerFacts): Finding {
  const name = `PostgreSQL ${shownVersion} at ${host}`;
  if (version < OLDEST) return problem("database", `${name} is too old.`, "Use PostgreSQL 13 or later.");
  if (encoding !== "UTF8") {
    const fix = "Create a database with ENCODING 'UTF8' and name it in database.url.";
    return problem("database", `The database at ${host} has the encoding ${encoding}.`, fix);
  }
  const times = `connects in ${connectMs.toFixed(0)} ms and answers in ${answerMs.toFixed(1)} ms`;
  if (answerMs <= SLOW_MS) return ok("database", `${name} ${times}.`);
  const fix = "Run the servers in the same data center as the database: a request waits for several answers.";
  return warning("database", `${name} ${times}.`, fix);
}

function tlsFinding({ tls, host }: ServerFacts, { url }: DatabaseSettings): Finding {
  if (tls) return ok("database TLS", `The connection to ${host} is encrypted.`);
  const { hosts } = parseDatabaseUrl(url.reveal());
  const isHere = hosts.every(({ socket, host: name }) => socket !== undefined || HERE.test(name));
  if (isHere) return ok("database TLS", "It is on this machine, and the connection is not encrypted.");
  const fix = "Turn TLS on at the server, and use sslmode=verify-full with sslrootcert in database.url.";
  return warning("database TLS", `The connection to ${host} is not encrypted.`, fix);
}

const HERE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

function userFinding(
  { isSuperuser, mayCreate }: ServerFacts,
  { url, migrateUrl }: DatabaseSettings,
): Finding {
  const { user } = parseDatabaseUrl(url.reveal());
  if (isSuperuser) {
    const fix = "Use a user with no more rights than docs/scaling.md lists.";
    return warning("database user", `The user ${user} is a superuser.`, fix);
  }
  if (mayCreate && migrateUrl.reveal() !== url.reveal()) {
    const fix = "Revoke CREATE from it: database.migrate_url has the user that makes tables.";
    return warning("database user", `The user ${user} may create tables.`, fix);
  }
  return ok("database user", `The user ${user} ${mayCreate ? "may" : "may not"} create tables.`);
}

function clockFinding({ aheadMs }: ServerFacts): Finding {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) <= MOST_SKEW_MS)
    return ok("database clock", "The clocks of this machine and of the database agree.");
  const direction = aheadMs > 0 ? "ahead of" : "behind";
  const fix = "Synchronize both with a time server (timedatectl set-ntp true).";
  return warning("database clock", `The clock of the database is ${seconds} s ${direction} this one.`, fix);
}

function versionFindings(
  { versions, forbiddenTables }: ServerFacts,
  { schema, url }: DatabaseSettings,
): Finding[] {
  if (forbiddenTables > 0) {
    const { user } = parseDatabaseUrl(url.reveal());
    const message = `The user ${user} may not read and write ${forbiddenTables} of the tables.`;
    const schemas = `${schema}, ${logSchemaOf(schema)}`;
    const fix =
      `As the owner of the tables: GRANT USAGE ON SCHEMA ${schemas} TO ${user}; ` +
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schemas} TO ${user}`;
    return [problem("tables", message, fix)];
  }
  const known = newestSchema();
  const [runtime = 0, executions = 0] = versions;
  if (runtime === 0) return [warning("tables", `The schema ${schema} has no installation yet.`, CREATE)];
  if (runtime > known.runtime || executions > known.executions) {
    const fix = "Use that version of runtime.";
    return [problem("tables", `The schema ${schema} was written by a newer version of runtime.`, fix)];
  }
  if (runtime === known.runtime && executions === known.executions)
    return [ok("tables", `The schema ${schema} has version ${runtime}.`)];
  const message = `The schema ${schema} has version ${runtime}; this program needs ${known.runtime}.`;
  return [
    warning("tables", message, "Stop the servers of the older version, then run: runtime database migrate"),
  ];
}

const CREATE = "Create it: runtime init, or copy one from a data folder: runtime database copy";

/** Empty unless migrations have a user of their own. */
async function migratorFindings(
  { url, migrateUrl }: DatabaseSettings,
  migrator: Parameters<typeof serverFacts>[0],
): Promise<Finding[]> {
  if (migrateUrl.reveal() === url.reveal()) return [];
  try {
    await serverFacts(migrator, []);
    return [ok("database migrations", "The user of database.migrate_url can connect.")];
  } catch (error) {
    return [refused("database migrations", error)];
  }
}

async function notificationFinding(...connectors: Parameters<typeof hearsNotifications>): Promise<Finding> {
  try {
    if (await hearsNotifications(...connectors)) return ok("database notifications", "They arrive.");
  } catch (error) {
    return refused("database notifications", error);
  }
  const fix =
    "If database.url leads to a connection pooler, set database.listen_url to the server itself. Until then waiting requests " +
    "take up to a second longer.";
  return warning("database notifications", "A notification did not arrive.", fix);
}
