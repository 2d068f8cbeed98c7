// Scheduled runs whose times were written under another clock: those that run, and those that wait for another attempt.
import type { Migration } from "../migrate";

export const retries: Migration = {
  version: 16,
  name: "retries",
  statements: [
    "CREATE INDEX scheduled_runs_running ON scheduled_runs (due_at, id) WHERE status = 'running'",
    "CREATE INDEX scheduled_runs_retried ON scheduled_runs (due_at, id) WHERE status = 'pending' AND attempts > 0",
  ],
};
