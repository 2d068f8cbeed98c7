// Clients that were registered with the authorization servers of workers.
import type { Migration } from "../migrate";
import { lateWriteTriggers } from "./013-late-writes";

export const workerClients: Migration = {
  version: 20,
  name: "worker clients",
  statements: [
    // Credentials belong to the issuer that gave them.
    `CREATE TABLE worker_clients (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, worker_id TEXT NOT NULL, issuer TEXT NOT NULL,
      sealed_registration TEXT NOT NULL, created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, worker_id, issuer)
    ) STRICT`,
    ...lateWriteTriggers("worker_clients", "sealed_registration"),
  ],
};
