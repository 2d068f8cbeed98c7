// Scheduled runs and their attempts.
import type { Migration } from "../migrate";

export const scheduledRuns: Migration = {
  version: 5,
  name: "scheduled runs",
  statements: [
    // `due_at`: when a worker must look at the run next. The time of a waiting run, the end of the lease of a running one,
    // NULL after the end. The fence grows with every claim.
    `CREATE TABLE scheduled_runs (
      id TEXT PRIMARY KEY, execution_id TEXT NOT NULL UNIQUE,
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, user_id TEXT NOT NULL, actor TEXT NOT NULL,
      toolkit_name TEXT NOT NULL, tool_name TEXT NOT NULL, toolkit_version TEXT NOT NULL, asked_version TEXT,
      with_stack INTEGER NOT NULL, sealed_input TEXT NOT NULL, status TEXT NOT NULL, run_at INTEGER NOT NULL,
      due_at INTEGER, attempts INTEGER NOT NULL, holder TEXT, fence INTEGER NOT NULL, created_at INTEGER NOT NULL,
      started_at INTEGER, finished_at INTEGER, updated_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX scheduled_runs_due ON scheduled_runs (due_at, id) WHERE due_at IS NOT NULL",
    "CREATE INDEX scheduled_runs_page ON scheduled_runs (project_id, created_at, id)",
    "CREATE INDEX scheduled_runs_user ON scheduled_runs (project_id, user_id, created_at, id)",
    `CREATE TABLE scheduled_attempts (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      run_id TEXT NOT NULL REFERENCES scheduled_runs (id) ON DELETE CASCADE, fence INTEGER NOT NULL,
      started_at INTEGER NOT NULL, finished_at INTEGER, success INTEGER, sealed_output TEXT, system_error TEXT,
      UNIQUE (run_id, fence)
    ) STRICT`,
    "CREATE INDEX scheduled_attempts_project ON scheduled_attempts (project_id)",
  ],
};
