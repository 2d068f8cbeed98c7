// Compares tables in SQLite and in PostgreSQL. Both sides are streamed once; the sum of the hashes of all rows does not depend
// on their order, and sums of parts show where rows differ, without keeping any.
import type { StoppedDatabase, StoppedTable } from "../stopped";
import type { Connection } from "./connector";
import type { Installation } from "./migrations";
import { columnsOf, linesOf } from "./rows";
import { copyOut } from "./streams";

export interface ComparedTable {
  /** `runtime.connections` */
  table: string;
  sqlite_rows: number;
  postgresql_rows: number;
  same: boolean;
  /** Keys of some rows that are not the same in both. */
  differing: string[];
}

export interface Compared extends Installation {
  name: string;
  source: StoppedDatabase;
}

const PARTS = 1024;
const MOST_PARTS = 8;
const MOST_KEYS = 5;

/** On a connection that is in a transaction with one snapshot. */
export async function compareTables(
  connection: Connection,
  part: Compared,
  progress: (table: string) => void,
): Promise<ComparedTable[]> {
  const compared: ComparedTable[] = [];
  for (const table of part.source.tables()) {
    progress(`${part.name}.${table.name}`);
    compared.push(await compareTable(connection, part, table));
  }
  return compared;
}

async function compareTable(
  connection: Connection,
  { name, schema, source }: Compared,
  table: StoppedTable,
): Promise<ComparedTable> {
  const columns = columnsOf(table);
  const here = (): Iterable<string> => linesOf(source, table, columns);
  const there = (): AsyncIterable<string> => copyOut(connection, selected(schema, table.name, columns));
  const [one, other] = [await sumsOf(here()), await sumsOf(there())];
  const parts = [...one.sums.keys()].filter((index) => one.sums[index] !== other.sums[index]);
  const same = parts.length === 0 && one.rows === other.rows;
  const keys = source.keyOf(table.name).map((column) => columns.indexOf(column));
  return {
    table: `${name}.${table.name}`,
    sqlite_rows: one.rows,
    postgresql_rows: other.rows,
    same,
    differing: same ? [] : await differing(here(), there(), new Set(parts.slice(0, MOST_PARTS)), keys),
  };
}

/** The version of the tables is in the counters on PostgreSQL only. */
function selected(schema: string, table: string, columns: readonly string[]): string {
  const list = columns.map((column) => `"${column}"`).join(", ");
  const where = table === "generations" ? " WHERE kind <> 'schema'" : "";
  return `SELECT ${list} FROM ${schema}.${table}${where}`;
}

async function sumsOf(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<{ rows: number; sums: BigUint64Array }> {
  const sums = new BigUint64Array(PARTS);
  let rows = 0;
  for await (const line of lines) {
    const { hash, part } = hashOf(line);
    sums[part] = (sums[part] ?? 0n) + hash;
    rows++;
  }
  return { rows, sums };
}

function hashOf(line: string): { hash: bigint; part: number } {
  const hash = Bun.hash.xxHash3(line);
  return { hash, part: Number(hash % BigInt(PARTS)) };
}

async function differing(
  here: Iterable<string>,
  there: AsyncIterable<string>,
  parts: ReadonlySet<number>,
  key: readonly number[],
): Promise<string[]> {
  const found = new Map<bigint, string>();
  for await (const lines of [here, there])
    for await (const line of lines) {
      const { hash, part } = hashOf(line);
      if (!parts.has(part)) continue;
      if (!found.delete(hash)) found.set(hash, keyText(line, key));
    }
  return [...new Set(found.values())].toSorted().slice(0, MOST_KEYS);
}

function keyText(line: string, key: readonly number[]): string {
  const fields = line.split("\t");
  return key.map((index) => fields[index] ?? "").join(" ");
}
