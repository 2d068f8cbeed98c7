// Shares and caps of projects: scheduled runs by project, runs that have not ended, and consents that are pending.
import type { Migration } from "../migrate";

const COUNTER = "'open scheduled runs'";

export const fairQueues: Migration = {
  version: 14,
  name: "fair queues",
  statements: [
    "CREATE INDEX scheduled_runs_pending ON scheduled_runs (project_id, due_at, id) WHERE status = 'pending'",
    `INSERT INTO counters (project_id, name, value)
      SELECT project_id, ${COUNTER}, COUNT(*) FROM scheduled_runs WHERE finished_at IS NULL GROUP BY project_id`,
    // Triggers, so that whatever ends a run keeps the count right.
    `CREATE TRIGGER scheduled_run_added AFTER INSERT ON scheduled_runs WHEN NEW.finished_at IS NULL BEGIN
      INSERT INTO counters (project_id, name, value) VALUES (NEW.project_id, ${COUNTER}, 1)
        ON CONFLICT (project_id, name) DO UPDATE SET value = value + 1;
    END`,
    `CREATE TRIGGER scheduled_run_ended AFTER UPDATE OF finished_at ON scheduled_runs
    WHEN OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL BEGIN
      UPDATE counters SET value = value - 1 WHERE project_id = NEW.project_id AND name = ${COUNTER};
    END`,
    `CREATE TRIGGER scheduled_run_deleted AFTER DELETE ON scheduled_runs WHEN OLD.finished_at IS NULL BEGIN
      UPDATE counters SET value = value - 1 WHERE project_id = OLD.project_id AND name = ${COUNTER};
    END`,

    `INSERT INTO counters (project_id, name, value)
      SELECT project_id, 'consents', COUNT(*) FROM authorizations GROUP BY project_id`,
    `CREATE TRIGGER consent_added AFTER INSERT ON authorizations BEGIN
      INSERT INTO counters (project_id, name, value) VALUES (NEW.project_id, 'consents', 1)
        ON CONFLICT (project_id, name) DO UPDATE SET value = value + 1;
    END`,
    `CREATE TRIGGER consent_deleted AFTER DELETE ON authorizations BEGIN
      UPDATE counters SET value = value - 1 WHERE project_id = OLD.project_id AND name = 'consents';
    END`,
    "CREATE INDEX authorizations_open ON authorizations (project_id, expires_at) WHERE status = 'pending'",
    "CREATE INDEX authorizations_ended ON authorizations (project_id, finished_at) WHERE finished_at IS NOT NULL",
  ],
};
