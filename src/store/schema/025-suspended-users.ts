// Users for whom nothing is done.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const suspendedUsers: Migration = {
  version: 25,
  name: "suspended users",
  statements: [
    `CREATE TABLE suspended_users (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, user_id TEXT NOT NULL, created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, user_id)
    ) STRICT`,
    generations("suspensions"),
  ],
};
