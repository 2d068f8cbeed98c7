// Ends scheduled runs, each with its audit entry.
import { type Audit, requireIncarnation } from "../../audit";
import type { Transaction } from "../../store";
import * as repository from "./repository";
import type { AttemptEnd, ListedRun, Next } from "./repository";

/** As `endAttempt`, with an audit entry if the run has ended. */
export function* endAttempt(audit: Audit, run: ListedRun, end: AttemptEnd, next: Next): Transaction<boolean> {
  if (!(yield* repository.endAttempt(run, end, next))) return false;
  if ("status" in next) yield* recordEnd(audit, run, next.status);
  return true;
}

/** As `giveUpRun`, with an audit entry. Returns the incarnation of the project; undefined if nothing was ended. */
export function* giveUpRun(
  audit: Audit,
  run: ListedRun,
  end: Omit<AttemptEnd, "success">,
): Transaction<string | undefined> {
  if (!(yield* repository.giveUpRun(run, end))) return undefined;
  yield* recordEnd(audit, run, "failed");
  return yield* requireIncarnation({ projectId: run.project_id });
}

function* recordEnd(audit: Audit, run: ListedRun, status: "completed" | "failed"): Transaction<void> {
  yield* audit.record({ kind: "server", projectId: run.project_id }, "run.finished", run.id, {
    result: status === "completed" ? "ok" : "failed",
    user: run.user_id,
    details: { tool: `${run.toolkit_name}.${run.tool_name}`, attempts: run.attempts },
  });
}
