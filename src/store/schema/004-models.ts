// Servers of language models that a project has beside those of the configuration, and which tools chat completions run.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const models: Migration = {
  version: 4,
  name: "models",
  statements: [
    generations("models"),

    // `server`: how it is reached, as JSON; the key is apart and sealed.
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
