// Ends the consents of an auth provider that is changed or deleted, or of a user, in the transaction of the change.
import type { Audit } from "../audit";
import type { Transaction } from "../store";
import { failFlowsOfProvider, failFlowsOfUser } from "./repository";

/** Consents with an audit entry of their own; the others are counted in one entry, so that the write stays short. */
const MOST_ENTRIES = 100;

export function* endFlowsOfProvider(
  audit: Audit,
  projectId: string,
  provider: string,
  reason: string,
  now: number,
): Transaction<void> {
  const failed = yield* failFlowsOfProvider(projectId, provider, reason, now);
  const server = { kind: "server", projectId } as const;
  const details = { provider, reason };
  for (const { id, user_id } of failed.slice(0, MOST_ENTRIES))
    yield* audit.record(server, "consent.failed", id, { result: "failed", user: user_id, details });
  const more = failed.length - MOST_ENTRIES;
  if (more > 0)
    yield* audit.record(server, "consent.failed", provider, {
      result: "failed",
      details: { ...details, count: more },
    });
}

/** The same for a user. */
export function* endFlowsOfUser(
  audit: Audit,
  projectId: string,
  user: string,
  reason: string,
  now: number,
): Transaction<void> {
  const server = { kind: "server", projectId } as const;
  const failed = yield* failFlowsOfUser(projectId, user, reason, now);
  for (const { id } of failed.slice(0, MOST_ENTRIES))
    yield* audit.record(server, "consent.failed", id, { result: "failed", user, details: { reason } });
}
