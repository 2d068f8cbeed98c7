// Runs the checks of a catalog one after the other, and keeps what they saw. A check that gets no answer, or meets a rate
// limit, does not end the run: the others may count against another limit. A refused grant and an abort end it.
import { EgressError } from "../../egress";
import { networkFailureOf } from "../failure";
import type { ToolContext } from "../definition";
import { GrantDead, ScopesLost, ToolError } from "../tool-error";
import {
  type CheckRow,
  type CheckStatus,
  codeWord,
  type Reason,
  type RecordedCall,
  type Seen,
  type SelfCheck,
  type StartedChecks,
  type Verdict,
  type Word,
} from "./definition";

export interface CheckResult {
  check: string;
  status: CheckStatus;
  /** What the tables of the catalog say. */
  expects: string;
  seen: Seen;
  reason?: Reason;
  calls: RecordedCall[];
}

/** Why checks have no result that should have one. */
export interface Incomplete {
  reason: "rate_limited" | "grant_refused" | "interrupted" | "time_up" | "refused";
  /** When to try again. */
  retry_after_seconds?: number;
}

export interface CheckRun {
  selfCheck: SelfCheck;
  /** Checks that are not run, and why. */
  skipped: ReadonlyMap<string, Reason>;
  /** Receives each result as soon as it is known. */
  onResult(result: CheckResult): void;
  onLimit(incomplete: Incomplete): void;
}

/** Throws `GrantDead`, and what a check throws after the run was aborted. */
export async function runChecks(run: CheckRun, context: ToolContext): Promise<void> {
  let calls: RecordedCall[] = [];
  let waitMs: number | undefined;
  const checks = run.selfCheck.start(context, (call) => calls.push(call));
  for (const row of run.selfCheck.checks) {
    calls = [];
    const skipped = run.skipped.get(row.name);
    const outcome =
      skipped === undefined ? await outcomeOf(checks, row, context) : { verdict: unchecked(skipped) };
    run.onResult(resultOf(row, outcome.verdict, calls));
    if (outcome.limitMs !== undefined) waitMs = Math.max(waitMs ?? 0, outcome.limitMs);
  }
  if (waitMs === undefined) return;
  run.onLimit({ reason: "rate_limited", retry_after_seconds: Math.ceil(waitMs / 1000) });
}

/** The results in the order of the checks, with those that were not reached. */
export function allResults({ checks }: SelfCheck, results: readonly CheckResult[]): CheckResult[] {
  const known = new Map(results.map((result) => [result.check, result]));
  return checks.map((row) => known.get(row.name) ?? resultOf(row, unchecked("ended_before"), []));
}

interface Outcome {
  verdict: Verdict;
  /** The wait that a rate limit requests. */
  limitMs?: number;
}

async function outcomeOf(checks: StartedChecks, row: CheckRow, context: ToolContext): Promise<Outcome> {
  try {
    return { verdict: (await checks.verdictOf(row.name)) ?? unchecked("cannot_be_checked") };
  } catch (thrown) {
    if (context.signal.aborted || thrown instanceof GrantDead) throw thrown;
    const error = thrown instanceof ToolError ? thrown : networkFailureOf(thrown, row.name).error;
    if (error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT")
      return { verdict: unchecked("rate_limited"), limitMs: error.details.retryAfterMs ?? 0 };
    if (error instanceof ScopesLost) return { verdict: unchecked("missing_permission") };
    const seen = { failure: failureWord(error) };
    // The platform has answered, but with something that no client of it can use.
    if (UNUSABLE.includes(seen.failure)) return { verdict: { status: "differs", seen } };
    return { verdict: { ...unchecked("no_answer"), seen } };
  }
}

const UNUSABLE: readonly string[] = ["redirect_refused", "too_large"];

/** Why there was no answer: the reason of the outbound client, or the kind of the error. */
function failureWord({ kind, cause }: ToolError): Word {
  return codeWord(cause instanceof EgressError ? cause.reason : kind);
}

function unchecked(reason: Reason): Verdict {
  return { status: "not_checked", seen: {}, reason };
}

function resultOf(
  { name, expects }: CheckRow,
  { status, seen, reason }: Verdict,
  calls: RecordedCall[],
): CheckResult {
  return { check: name, status, expects, seen, ...(reason === undefined ? {} : { reason }), calls };
}
