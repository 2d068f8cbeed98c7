// The execution log is a separate file: it grows fastest, and its last entries may be lost at a power failure.
import type { Migration } from "../migrate";
import { KINDS } from "../port";
import { generations } from "./generations";

const first: Migration = {
  version: 1,
  name: "first",
  statements: [
    "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
    generations(...KINDS),
    `CREATE TABLE executions (
      id TEXT PRIMARY KEY, execution_id TEXT NOT NULL, project_id TEXT NOT NULL, user_id TEXT NOT NULL,
      actor TEXT NOT NULL, tool TEXT NOT NULL, status TEXT NOT NULL, error_kind TEXT, duration_ms REAL NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX executions_page ON executions (project_id, created_at, id)",
    "CREATE TABLE last_used (kind TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) STRICT",
  ],
};

/** The decisions of hooks about executions, in their order. */
const decisions: Migration = {
  version: 2,
  name: "decisions of hooks",
  statements: [
    `CREATE TABLE hook_decisions (
      execution TEXT NOT NULL, position INTEGER NOT NULL, project_id TEXT NOT NULL, hook_id TEXT NOT NULL,
      hook_point TEXT NOT NULL, decision TEXT NOT NULL, reason TEXT, duration_ms REAL NOT NULL,
      PRIMARY KEY (execution, position)
    ) STRICT`,
  ],
};

/** The decisions as JSON in the row of the run: separate rows would cost more than the rest of the log. */
const decisionsInside: Migration = {
  version: 3,
  name: "decisions of hooks inside",
  statements: ["DROP TABLE hook_decisions", "ALTER TABLE executions ADD COLUMN decisions TEXT"],
};

const facts: Migration = {
  version: 4,
  name: "facts",
  statements: ["CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"],
};

/** The incarnation of the project (see `011-incarnations.ts`). */
const incarnations: Migration = {
  version: 5,
  name: "incarnations",
  statements: ["ALTER TABLE executions ADD COLUMN incarnation TEXT NOT NULL DEFAULT ''"],
};

export const executionLogMigrations: readonly Migration[] = [
  first,
  decisions,
  decisionsInside,
  facts,
  incarnations,
];
