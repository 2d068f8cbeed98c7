// An index to find scheduled runs that ended long ago. They are deleted in the order in which they ended.
import type { Migration } from "../migrate";

export const endedRuns: Migration = {
  version: 9,
  name: "ended runs",
  statements: [
    "CREATE INDEX scheduled_runs_ended ON scheduled_runs (finished_at) WHERE finished_at IS NOT NULL",
  ],
};
