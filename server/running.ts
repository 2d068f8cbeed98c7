// Caps on what callers have running at the same time: long polls and streams of a credential, and calls of a project.
import { actorOf, type Principal } from "../src/identity";
import type { Limits } from "../src/limits";

/** When a caller should try again: some of the running ones have ended by then. */
const RETRY_AFTER_MS = 1000;
/** Streams last. */
const STREAM_RETRY_AFTER_MS = 60_000;

/** Counts a long poll until it is disposed. Throws `rate_limited`. */
export function holdLongPoll(limits: Limits, principal: Principal): Disposable {
  return limits.hold("limits.long_polls_per_key", {
    scope: { project_id: principal.projectId, actor: actorOf(principal) },
    message: "Too many requests with this credential are waiting. Wait for the answers of some of them.",
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** Counts a stream for news of a gateway until it is disposed. Throws `rate_limited`. */
export function holdStream(limits: Limits, principal: Principal): Disposable {
  const advice = "Close some of them, or open one for each client only.";
  const held = limits.hold("limits.streams_per_key", {
    scope: { project_id: principal.projectId, actor: actorOf(principal) },
    message: `Too many streams of this credential are open (limits.streams_per_key). ${advice}`,
    retryAfterMs: STREAM_RETRY_AFTER_MS,
  });
  try {
    const inAll = limits.hold("limits.streams", {
      scope: {},
      message: "Too many streams of this server are open (limits.streams). Ask for the list again instead.",
      retryAfterMs: STREAM_RETRY_AFTER_MS,
    });
    return {
      [Symbol.dispose]: () => {
        held[Symbol.dispose]();
        inAll[Symbol.dispose]();
      },
    };
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
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
