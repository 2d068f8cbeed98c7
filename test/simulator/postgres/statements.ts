// The statements of the engine for PostgreSQL, as the SQLite file under the scripted server runs them.
import type { Database } from "bun:sqlite";
import { SQLiteError } from "bun:sqlite";
import type { SqlValue } from "../../../src/store";
import { prepared } from "../../../src/store/sqlite-steps";
import { serverError } from "./errors";

/** What a statement does to its session. */
export type Command =
  | { does: "begin" | "commit" | "roll back" | "lock" | "ping" | "settings" | "notify" | "works" | "end" }
  | { does: "read" | "write"; text: string; isListed: boolean };

export interface Rows {
  rows: Record<string, unknown>[];
  count: number;
}

/** Back to the forms of SQLite; `dialect.ts` has the way there. */
const REWRITES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/::double precision/g, ""],
  [/jsonb_array_elements_text\(\(([\w.?$]+)\)::jsonb\) AS json_each\(value\)/g, "json_each($1)"],
  [/COALESCE\(jsonb_agg\(value\), '\[\]'\)::text/g, "json_group_array(value)"],
  [/replace\(gen_random_uuid\(\)::text, '-', ''\)/g, "lower(hex(randomblob(16)))"],
  [/\bstrpos\(/g, "INSTR("],
  // Rows of writers are never old here.
  [/clock_timestamp\(\) - interval '30 days'/g, "-1"],
  [/clock_timestamp\(\)/g, "0"],
  // Restarts keep it: what is lost with one is not lost here.
  [/extract\(epoch FROM pg_postmaster_start_time\(\)\)/g, "0"],
  [/generate_series\(1, \d+\) AS place/g, "(SELECT 1 AS place)"],
  [
    /SELECT c\.relname FROM pg_catalog\.pg_class [\s\S]+'schema_migrations'/g,
    "SELECT name AS relname FROM sqlite_schema WHERE ?1 = 'main' AND name = 'schema_migrations'",
  ],
  [/\$(\d+)/g, "?$1"],
];

const SPECIAL: readonly (readonly [pattern: RegExp, command: Command])[] = [
  [/^BEGIN\b/, { does: "begin" }],
  [/^COMMIT$/, { does: "commit" }],
  [/^ROLLBACK$/, { does: "roll back" }],
  [/^SELECT 1$/, { does: "ping" }],
  [/^SELECT pg_advisory_xact_lock\(/, { does: "lock" }],
  [/^SELECT pg_backend_pid\(\)/, { does: "settings" }],
  [/^SELECT pg_notify\(/, { does: "notify" }],
  [/^SELECT 1 AS works FROM pg_catalog\.pg_stat_activity/, { does: "works" }],
  [/^SELECT pg_terminate_backend\(/, { does: "end" }],
];

const commands = new Map<string, Command>();

export function commandOf(text: string): Command {
  let known = commands.get(text);
  if (known === undefined) {
    known = SPECIAL.find(([pattern]) => pattern.test(text))?.[1] ?? statementOf(text);
    // Settings have the name of the schema in them, and nothing else that varies.
    commands.set(text, known);
  }
  return known;
}

function statementOf(text: string): Command {
  const rewritten = REWRITES.reduce((result, [pattern, replacement]) => {
    return result.replaceAll(pattern, replacement);
  }, text);
  const isRead = /^\s*(?:SELECT|WITH)\b/.test(rewritten);
  return {
    does: isRead ? "read" : "write",
    text: rewritten,
    isListed: isRead || /\bRETURNING\b/.test(rewritten),
  };
}

/** Runs a statement. Throws as the server does. */
export function runStatement(
  database: Database,
  { text, isListed }: { text: string; isListed: boolean },
  params: readonly SqlValue[],
): Rows {
  try {
    const statement = prepared<Record<string, unknown>>(database, text);
    if (!isListed) return { rows: [], count: statement.run(...params).changes };
    const rows = statement.all(...params);
    return { rows, count: rows.length };
  } catch (error) {
    const code = error instanceof SQLiteError ? (error.code ?? "") : "";
    const state = STATES[code];
    throw state === undefined ? error : serverError(state);
  }
}

const STATES: Readonly<Record<string, string>> = {
  SQLITE_CONSTRAINT_UNIQUE: "23505",
  SQLITE_CONSTRAINT_PRIMARYKEY: "23505",
  SQLITE_CONSTRAINT_FOREIGNKEY: "23503",
  SQLITE_CONSTRAINT_NOTNULL: "23502",
  SQLITE_CONSTRAINT_CHECK: "23514",
  // Only the triggers that look for the data key of a sealed value.
  SQLITE_CONSTRAINT_TRIGGER: "RT001",
};
