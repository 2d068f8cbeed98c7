// The answer to a request for the consent of a worker that wants none.
import { checkNextUri } from "../authorization";
import { userOfWorker } from "../base";
import type { Core } from "../core";
import { requirementsNotMet } from "../errors";
import { actFor, type Principal } from "../identity";
import type { AuthorizeRequest } from "./authorizations";
import type { Outcome } from "./refresh";
import type { WorkerRow } from "./repository";
import type { WorkerAuthorization } from "./schema";

/** Throws `tool_requirements_not_met` for a disabled worker, which is not asked what it wants. */
export function requireEnabled({ id, enabled }: WorkerRow): void {
  if (enabled === 1) return;
  throw requirementsNotMet(
    `The worker "${id}" is disabled, so its catalog is not read. Enable it first: runtime workers enable ${id}`,
  );
}

/**
 * Throws `tool_requirements_not_met` if the worker did not answer: it may want a consent when it does. `outcome`: of the reading
 * that has shown what it wants.
 */
export function withoutConsent(
  { settings }: Core,
  principal: Principal,
  id: string,
  { user_id, next_uri }: AuthorizeRequest,
  outcome: Outcome | undefined,
): WorkerAuthorization {
  if (outcome !== undefined && "failure" in outcome)
    throw requirementsNotMet(
      `Whether the worker "${id}" wants a consent is not known. ${outcome.failure.message} Then ask again.`,
    );
  const own = principal.kind === "user" ? principal.userId : undefined;
  const ofWorker = userOfWorker(id);
  const user = actFor(principal, user_id ?? own ?? ofWorker, ofWorker);
  return {
    worker_id: id,
    user_id: user,
    status: "completed",
    scopes: [],
    ...(next_uri === undefined ? {} : { next_uri: checkNextUri(next_uri, settings["redirects.allow"]) }),
  };
}
