// Checks the tables in PostgreSQL, and compares them with those of SQLite. Reads one snapshot and changes nothing.
import { configurationError, unavailable } from "../../errors";
import { query, type Reader } from "../port";
import type { StoppedDatabase } from "../stopped";
import { type ComparedTable, compareTables } from "./compare";
import type { Connector } from "./connector";
import { isLost } from "./failures";
import { Link } from "./link";
import { type Installation, newestOf, refuseNewerSchema, versionOf } from "./migrations";
import { SnapshotReader } from "./snapshot";

export type { ComparedTable } from "./compare";

export interface CheckedDatabase {
  /** Versions of the tables, by the names of the parts. */
  versions: Record<string, number>;
  /** Undefined without files to compare with. */
  tables: ComparedTable[] | undefined;
  /** Sentences. */
  problems: string[];
}

export interface CheckOptions {
  connector: Connector;
  /** The first has the records. */
  parts: readonly (Installation & { name: string; source: StoppedDatabase | undefined })[];
  progress(what: string): void;
  /** Further checks on the records; returns problems. */
  verify(records: Reader): Promise<string[]>;
}

const ANSWER_MS = 60_000;
const LIMIT_MS = 3_600_000;

/** Throws `configuration` if there is no installation, or a newer one, and `unavailable`. */
export async function checkPostgres({
  connector,
  parts,
  progress,
  verify,
}: CheckOptions): Promise<CheckedDatabase> {
  const connection = await connector.connect();
  const link = new Link(connection);
  try {
    for (const text of [
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      "SET LOCAL statement_timeout = 0",
      // Doubles are written so that they can be compared.
      "SET LOCAL extra_float_digits = 1",
    ])
      await link.run(text, [], ANSWER_MS);
    const found: CheckedDatabase = { versions: {}, tables: undefined, problems: [] };
    for (const { name, schema, migrations } of parts) {
      const version = await versionOf(link, schema);
      const known = newestOf(migrations);
      if (version === 0)
        throw configurationError(`The schema ${schema} of ${connector.shown} contains no installation.`);
      refuseNewerSchema(version, known, connector.shown);
      found.versions[name] = version;
      if (version < known)
        found.problems.push(
          `The tables in schema ${schema} have version ${version}; this program needs ${known}.`,
        );
    }
    // Older tables have other columns.
    if (found.problems.length > 0) return found;
    for (const part of parts) {
      const { source } = part;
      if (source === undefined) continue;
      const compared = await compareTables(connection, { ...part, source }, progress);
      found.tables = [...(found.tables ?? []), ...compared];
    }
    const [records] = parts;
    if (records === undefined) return found;
    const reader = new SnapshotReader(link, records.dialect);
    progress("sealed values");
    found.problems.push(...(await sealedProblems(link, records.schema)), ...(await counterProblems(reader)));
    progress("audit trail");
    found.problems.push(...(await verify(reader)));
    return found;
  } catch (error) {
    throw isLost(error)
      ? unavailable(`The connection to ${connector.shown} was lost. Run it again.`, { cause: error })
      : error;
  } finally {
    await link.close();
  }
}

const SEALED =
  "SELECT table_name AS name, column_name AS field FROM information_schema.columns " +
  "WHERE table_schema = $1 AND column_name LIKE 'sealed\\_%' ORDER BY table_name, column_name";

/** A sealed value begins with `v1.` and the id of its data key. */
async function sealedProblems(link: Link, schema: string): Promise<string[]> {
  const { rows } = await link.run(SEALED, [schema], ANSWER_MS);
  const problems: string[] = [];
  for (const { name, field } of rows) {
    const text =
      `SELECT COUNT(*)::double precision AS count FROM ${schema}.${String(name)} AS t WHERE ${String(field)} IS NOT NULL ` +
      `AND NOT EXISTS (SELECT 1 FROM ${schema}.data_keys AS k WHERE k.id = split_part(substr(t.${String(field)}, 4), '.', 1))`;
    const count = Number((await link.run(text, [], LIMIT_MS)).rows[0]?.["count"]);
    if (count > 0)
      problems.push(`The data keys of ${count} values in ${String(name)}.${String(field)} do not exist.`);
  }
  return problems;
}

interface WrongCounter {
  project_id: string;
  value: number;
  counted: number;
}

const counter = (name: string, table: string, condition: string) =>
  query<WrongCounter>(
    `SELECT p.id AS project_id, COALESCE(c.value, 0) AS value, COALESCE(r.counted, 0) AS counted FROM projects AS p
     LEFT JOIN counters AS c ON c.project_id = p.id AND c.name = '${name}'
     LEFT JOIN (SELECT project_id, COUNT(*) AS counted FROM ${table}${condition} GROUP BY project_id) AS r
       ON r.project_id = p.id
     WHERE COALESCE(c.value, 0) <> COALESCE(r.counted, 0) ORDER BY p.id`,
  );

/** The counters that triggers keep. */
const COUNTERS = {
  "open scheduled runs": counter("open scheduled runs", "scheduled_runs", " WHERE finished_at IS NULL"),
  consents: counter("consents", "authorizations", ""),
};

async function counterProblems(records: Reader): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, statement] of Object.entries(COUNTERS))
    for (const { project_id, value, counted } of await records.all(statement))
      problems.push(`The counter of ${name} of the project ${project_id} is ${value}; there are ${counted}.`);
  return problems;
}
