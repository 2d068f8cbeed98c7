// SQL of the audit trail.
import { query, run, type Transaction } from "../store";

export interface AuditRow {
  id: string;
  projectId: string | null;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  createdAt: number;
}

const ADD = query(
  "INSERT INTO audit (id, project_id, actor, action, target, details, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
);

export function* addAuditRow(row: AuditRow): Transaction<void> {
  yield* run(ADD, row.id, row.projectId, row.actor, row.action, row.target, row.details, row.createdAt);
}
