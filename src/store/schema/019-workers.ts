// Workers of a project (servers whose tools it offers), and the catalog that each of them answered last.
import type { Migration } from "../migrate";
import { generations } from "./generations";
import { lateWriteTriggers } from "./013-late-writes";

export const workers: Migration = {
  version: 19,
  name: "workers",
  statements: [
    generations("workers"),

    // `config`: the settings as JSON, with the names of its secrets. The values are sealed in a column of their own.
    `CREATE TABLE workers (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, id TEXT NOT NULL, type TEXT NOT NULL,
      enabled INTEGER NOT NULL, uri TEXT NOT NULL, toolkit TEXT NOT NULL, config TEXT NOT NULL, sealed_secrets TEXT,
      origins TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, id)
    ) STRICT`,
    ...lateWriteTriggers("workers", "sealed_secrets"),

    // Without a reference to `workers`: those of the configuration have catalogs as well. `latest` is null if it is the
    // accepted one. `names`: the accepted tools by toolkit, so that lists need not read the definitions.
    `CREATE TABLE worker_catalogs (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, worker_id TEXT NOT NULL,
      accepted TEXT NOT NULL, accepted_hash TEXT NOT NULL, latest TEXT, latest_hash TEXT NOT NULL,
      names TEXT NOT NULL, contents TEXT NOT NULL, contents_hash TEXT NOT NULL, skipped TEXT NOT NULL,
      summary TEXT NOT NULL, fetched_at INTEGER, due_at INTEGER NOT NULL, failure TEXT, failed_at INTEGER,
      PRIMARY KEY (project_id, worker_id)
    ) STRICT`,
  ],
};
