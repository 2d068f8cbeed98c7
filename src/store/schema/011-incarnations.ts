// A project that is deleted and created again under its id is another project. `incarnation` is a random value that
// distinguishes them; it is empty for the projects that exist now and for the default project, which cannot be deleted.
import type { Migration } from "../migrate";

export const incarnations: Migration = {
  version: 11,
  name: "incarnations",
  statements: [
    "ALTER TABLE projects ADD COLUMN incarnation TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE audit ADD COLUMN incarnation TEXT NOT NULL DEFAULT ''",
    // Entries of an earlier project with the same id.
    `UPDATE audit SET incarnation = 'earlier' WHERE project_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM projects WHERE id = audit.project_id AND created_at <= audit.created_at)`,
  ],
};
