// Caps on what callers have running at the same time: long polls of a credential, and calls of a project.
import { actorOf, type Principal } from "../src/identity";
import type { Limits } from "../src/limits";

/** When a caller should try again: some of the running ones have ended by then. */
const RETRY_AFTER_MS = 1000;

/** Counts a long poll until it is disposed. Throws `rate_limited`. */
export function holdLongPoll(limits: Limits, principal: Principal): Disposable {
  return limits.hold("limits.long_polls_per_key", {
    scope: { project_id: principal.projectId, actor: actorOf(principal) },
    message: "Too many requests with this credential are waiting. Wait for the answers of some of them.",
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/**
 * Counts a tool call or a chat completion until it is disposed. Throws `rate_limited`. A streamed completion counts until its
 * first event; its request to the model server counts on (`egress`).
 */
export function holdCall(limits: Limits, { projectId }: Principal): Disposable {
  return limits.hold("limits.calls_per_project", {
    scope: { project_id: projectId },
    message: "Too many calls of this project are running. Wait for the answers of some of them.",
    retryAfterMs: RETRY_AFTER_MS,
  });
}
