// Plugins and hooks. Those of an organization are sealed with the key of the project `default`, which is never deleted; those of
// a project are deleted with it.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const hooks: Migration = {
  version: 2,
  name: "hooks",
  statements: [
    generations("hooks"),

    `CREATE TABLE plugins (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      binding_type TEXT NOT NULL, binding_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT, status TEXT NOT NULL,
      retry TEXT NOT NULL, webhook TEXT NOT NULL, sealed_credentials TEXT, health_status TEXT NOT NULL,
      version INTEGER NOT NULL, created_by TEXT NOT NULL, updated_by TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (binding_type, binding_id, name)
    ) STRICT`,
    "CREATE INDEX plugins_page ON plugins (binding_type, binding_id, created_at, id)",
    "CREATE INDEX plugins_project ON plugins (project_id)",

    `CREATE TABLE hooks (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      binding_type TEXT NOT NULL, binding_id TEXT NOT NULL,
      plugin_id TEXT NOT NULL REFERENCES plugins (id) ON DELETE CASCADE, name TEXT NOT NULL, hook_point TEXT NOT NULL,
      phase TEXT NOT NULL, failure_mode TEXT NOT NULL, priority INTEGER NOT NULL, status TEXT NOT NULL,
      timeout_ms INTEGER, version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      UNIQUE (binding_type, binding_id, hook_point, priority)
    ) STRICT`,
    "CREATE INDEX hooks_page ON hooks (binding_type, binding_id, created_at, id)",
    "CREATE INDEX hooks_plugin ON hooks (plugin_id)",
    "CREATE INDEX hooks_project ON hooks (project_id)",
  ],
};
