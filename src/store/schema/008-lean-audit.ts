// The audit trail with one index instead of two, because every administrative write stores an entry. Entry ids sort by time,
// so a page is found by id alone.
import type { Migration } from "../migrate";

export const leanAudit: Migration = {
  version: 8,
  name: "lean audit",
  statements: [
    `CREATE TABLE lean_audit (
      id TEXT NOT NULL, project_id TEXT, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
      details TEXT, created_at INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO lean_audit (id, project_id, actor, action, target, details, created_at)
      SELECT id, project_id, actor, action, target, details, created_at FROM audit ORDER BY rowid`,
    "DROP TABLE audit",
    "ALTER TABLE lean_audit RENAME TO audit",
    "CREATE UNIQUE INDEX audit_page ON audit (project_id, id)",
  ],
};
