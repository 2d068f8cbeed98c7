// Model entries of a project, in addition to those of the configuration, and the tools that chat completions may run.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const models: Migration = {
  version: 4,
  name: "models",
  statements: [
    generations("models"),

    // `server`: the connection settings as JSON. The API key is sealed in a column of its own.
    `CREATE TABLE models (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, id TEXT NOT NULL, type TEXT NOT NULL,
      server TEXT NOT NULL, models TEXT NOT NULL, sealed_api_key TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (project_id, id)
    ) STRICT`,

    `CREATE TABLE llm_settings (
      project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE, tools TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
  ],
};
