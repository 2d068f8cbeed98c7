// An entry of the execution log, and its row.
import { insertInto, type Transaction } from "../store";

export interface ExecutionEntry {
  id: string;
  executionId: string;
  projectId: string;
  /** Of the caller's project, which may have been deleted meanwhile. */
  incarnation: string;
  userId: string;
  actor: string;
  /** Fully qualified name. */
  tool: string;
  status: "completed" | "failed";
  errorKind: string | null;
  durationMs: number;
  /** The number of the latest erasure when the call began, see `Erasures`. */
  erasure: number;
  /** The decisions of hooks, in the order of the calls. */
  decisions?: readonly Decision[];
}

/** The decision of one hook about a run. Contains no value of the run. */
export interface Decision {
  hookId: string;
  point: string;
  decision: string;
  reason?: string;
  durationMs: number;
}

export interface Added {
  entry: ExecutionEntry;
  now: number;
}

// An entry is written again if its commit seemed to fail.
const add = insertInto<ReturnType<typeof rowOf>>(
  "executions",
  [
    "id",
    "execution_id",
    "project_id",
    "incarnation",
    "user_id",
    "actor",
    "tool",
    "status",
    "error_kind",
    "duration_ms",
    "created_at",
    "decisions",
  ],
  "ON CONFLICT (id) DO NOTHING",
);
export function* addEntry(added: Added): Transaction<void> {
  yield* add(rowOf(added));
}

function rowOf({ entry, now }: Added) {
  return {
    id: entry.id,
    execution_id: entry.executionId,
    project_id: entry.projectId,
    incarnation: entry.incarnation,
    user_id: entry.userId,
    actor: entry.actor,
    tool: entry.tool,
    status: entry.status,
    error_kind: entry.errorKind,
    duration_ms: entry.durationMs,
    created_at: now,
    decisions: entry.decisions?.length ? JSON.stringify(entry.decisions.map(decisionRecord)) : null,
  };
}

function decisionRecord({ hookId, point, decision, reason, durationMs }: Decision) {
  // JSON omits an undefined reason.
  return { hook_id: hookId, hook_point: point, decision, reason, duration_ms: durationMs };
}
