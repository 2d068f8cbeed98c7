// SQL of revocations: grants without a connection that must be revoked at their provider.
import { command, erase, get, named, query, run, type Store, type Transaction } from "../store";
import type { ConnectionRow } from "./repository";

const FIRST_DELAY_MS = 5000;
const MAX_DELAY_MS = 2 * 3600_000;
/** About a day. */
export const MAX_ATTEMPTS = 20;
/** A revocation waits for a consent that is in progress, whose grant it might end. */
export const CONSENT_DELAY_MS = 30_000;

export interface RevocationRow {
  id: string;
  project_id: string;
  user_id: string;
  provider_id: string;
  /** The consent flow of `sealed_grant`; null: the sealed values are those of a connection. */
  flow_id: string | null;
  /** The origins of the provider that the grant was given for. */
  origins_id: string;
  sealed_tokens: string | null;
  sealed_facts: string | null;
  sealed_grant: string | null;
  attempts: number;
  due_at: number;
  /** Null: no process is sending it. Otherwise its lease shows whether one still does. */
  sending_until: number | null;
  /** 1: a later consent of the same account may continue the grant. 0: it was refused, or belongs to a deleted project. */
  is_usable: number;
  created_at: number;
}

type SealedGrant = Pick<
  ConnectionRow,
  "project_id" | "user_id" | "provider_id" | "origins_id" | "sealed_tokens" | "sealed_facts"
>;

/** Without a status, the grant must not be used any more. */
type GivenUp = SealedGrant & Partial<Pick<ConnectionRow, "status">>;

const COLUMNS =
  "id, project_id, user_id, provider_id, flow_id, origins_id, sealed_tokens, sealed_facts, sealed_grant, attempts, due_at, " +
  "sending_until, is_usable, created_at";
// Without a record of the provider nothing can be revoked. It may have been deleted meanwhile.
const add = command<SealedGrant & { id: string; is_usable: number; now: number }>(
  "INSERT INTO revocations (id, project_id, user_id, provider_id, origins_id, sealed_tokens, sealed_facts, is_usable, " +
    "attempts, due_at, created_at) SELECT :id, :project_id, :user_id, :provider_id, :origins_id, :sealed_tokens, " +
    ":sealed_facts, :is_usable, 0, :now, :now " +
    "WHERE EXISTS (SELECT 1 FROM auth_providers WHERE project_id = :project_id AND id = :provider_id) OR EXISTS " +
    "(SELECT 1 FROM former_providers WHERE project_id = :project_id AND id = :provider_id AND origins_id = :origins_id)",
);
const OF_PROJECT = query<RevocationRow>(`SELECT ${COLUMNS} FROM revocations WHERE project_id = ? LIMIT ?`);
const FIND = query<RevocationRow>(`SELECT ${COLUMNS} FROM revocations WHERE id = ?`);
/** How long an order waits after so many attempts, at most. */
const DELAYS = Array.from({ length: MAX_ATTEMPTS + 1 }, (_, attempts) =>
  Math.max(CONSENT_DELAY_MS, delayAfter(attempts)),
);
// An order that is due later than that was written under a clock that runs ahead. With room for clocks that differ a little.
const IS_AHEAD =
  `due_at > :now + 60000 + 2 * CASE attempts ${DELAYS.map((ms, attempts) => `WHEN ${attempts} THEN ${ms}`).join(" ")} ` +
  `ELSE ${MAX_DELAY_MS} END`;
const DUE = named<{ now: number; soon: number }, { id: string }>(
  `SELECT id FROM revocations WHERE due_at <= :now OR (due_at > :soon AND ${IS_AHEAD}) ` +
    "ORDER BY sending_until IS NOT NULL, due_at LIMIT 20",
);
// First the newest grant that a connection had; then those of consents that did not end with a connection.
const USABLE = query<RevocationRow>(
  `SELECT ${COLUMNS} FROM revocations WHERE project_id = ? AND user_id = ? AND provider_id = ? AND origins_id = ? ` +
    "AND is_usable = 1 ORDER BY sealed_tokens IS NULL, rowid DESC LIMIT 20",
);
const SENDING = query<{ id: string }>(
  "SELECT id FROM revocations WHERE project_id = ? AND provider_id = ? AND user_id = ? AND sending_until IS NOT NULL",
);
const change = command<Pick<RevocationRow, "id" | "attempts" | "due_at" | "sending_until">>(
  "UPDATE revocations SET attempts = :attempts, due_at = :due_at, sending_until = :sending_until WHERE id = :id",
);
const replace = command<Pick<ConnectionRow, "sealed_tokens" | "sealed_facts"> & { id: string }>(
  "UPDATE revocations SET sealed_tokens = :sealed_tokens, sealed_facts = :sealed_facts WHERE id = :id",
);
const DELETE = query("DELETE FROM revocations WHERE id = ?");

/** Adds an order to revoke a grant, in the transaction after which no row holds it. */
export function* addRevocation(grant: GivenUp, id: string, now: number): Transaction<void> {
  const { project_id, user_id, provider_id, origins_id, sealed_tokens, sealed_facts, status } = grant;
  const is_usable = status === "active" ? 1 : 0;
  yield* add({
    id,
    project_id,
    user_id,
    provider_id,
    origins_id,
    sealed_tokens,
    sealed_facts,
    is_usable,
    now,
  });
}

export function findRevocation(store: Store, id: string): Promise<RevocationRow | undefined> {
  return store.get(FIND, id);
}

export function* revocationInTransaction(id: string): Transaction<RevocationRow | undefined> {
  return yield* get(FIND, id);
}

/** The ids of some orders that are due, or were written under a clock that runs ahead. */
export async function dueRevocations(store: Store, now: number): Promise<string[]> {
  return (await store.all(DUE, ...DUE.values({ now, soon: now + CONSENT_DELAY_MS }))).map(({ id }) => id);
}

/** The wait after an attempt, when this many were made before. */
export function delayAfter(attempts: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** attempts, MAX_DELAY_MS);
}

/** Some of the orders of a project. */
export function ordersOf(store: Store, projectId: string, limit: number): Promise<RevocationRow[]> {
  return store.all(OF_PROJECT, projectId, limit);
}

/** The orders with grants of the user that a connection of these origins may continue. */
export function usableOrders(
  store: Store,
  { project_id, user_id, provider_id, origins_id }: SealedGrant,
): Promise<RevocationRow[]> {
  return store.all(USABLE, project_id, user_id, provider_id, origins_id);
}

/** The orders for this user and provider that a process has begun to send. */
export async function ordersBeingSent(
  store: Store,
  { projectId, userId, providerId }: Record<"projectId" | "userId" | "providerId", string>,
): Promise<string[]> {
  return (await store.all(SENDING, projectId, providerId, userId)).map(({ id }) => id);
}

export function* changeRevocation(
  row: Pick<RevocationRow, "id" | "attempts" | "due_at" | "sending_until">,
): Transaction<void> {
  const { id, attempts, due_at, sending_until } = row;
  yield* change({ id, attempts, due_at, sending_until });
}

/** Stores newer tokens of the same grant. */
export function* replaceTokens(
  row: Pick<ConnectionRow, "sealed_tokens" | "sealed_facts"> & { id: string },
): Transaction<void> {
  yield* erase();
  yield* replace(row);
}

export function* removeRevocation(id: string): Transaction<void> {
  yield* erase();
  yield* run(DELETE, id);
}
