// SQL of consent flows.
import { all, command, get, insertInto, query, run, type Store, touch, type Transaction } from "../store";

export interface FlowRow {
  id: string;
  project_id: string;
  user_id: string;
  provider_id: string | null;
  provider_version: number | null;
  status: "pending" | "completed" | "failed";
  reason: string | null;
  /** JSON list, sorted: the scopes that the caller needs. */
  needed: string;
  /** JSON list: the requested scopes (needed and already granted), after the end the granted ones. */
  scopes: string;
  next_uri: string | null;
  connection_id: string | null;
  address_hash: string | null;
  sealed_address: string | null;
  browser_hash: string | null;
  state_hash: string | null;
  /** State and verifier. */
  sealed_exchange: string | null;
  /** Time of the callback. A state can be used once. */
  used_at: number | null;
  /** The grant during the user check. */
  sealed_grant: string | null;
  /** Hash of the flow id for the customer's verifier. */
  check_hash: string | null;
  created_at: number;
  expires_at: number;
  finished_at: number | null;
}

const ALL = [
  "id",
  "project_id",
  "user_id",
  "provider_id",
  "provider_version",
  "status",
  "reason",
  "needed",
  "scopes",
  "next_uri",
  "connection_id",
  "address_hash",
  "sealed_address",
  "browser_hash",
  "state_hash",
  "sealed_exchange",
  "used_at",
  "sealed_grant",
  "check_hash",
  "created_at",
  "expires_at",
  "finished_at",
] as const;
// The needed scopes are often all requested ones, which are then stored once: consents may be many.
export const COLUMNS = ALL.map((name) =>
  name === "scopes" ? "CASE scopes WHEN '' THEN needed ELSE scopes END AS scopes" : name,
).join(", ");
const FIND = query<FlowRow>(`SELECT ${COLUMNS} FROM authorizations WHERE project_id = ? AND id = ?`);
const FIND_BY_ADDRESS = query<FlowRow>(`SELECT ${COLUMNS} FROM authorizations WHERE address_hash = ?`);
const FIND_BY_STATE = query<FlowRow>(`SELECT ${COLUMNS} FROM authorizations WHERE state_hash = ?`);
const FIND_BY_CHECK = query<FlowRow>(`SELECT ${COLUMNS} FROM authorizations WHERE check_hash = ?`);
const SET_CHECK = query(
  "UPDATE authorizations SET check_hash = ? WHERE project_id = ? AND id = ? AND status = 'pending'",
);
const USE_CHECK = query(
  "UPDATE authorizations SET check_hash = NULL " +
    "WHERE project_id = ? AND id = ? AND check_hash = ? AND status = 'pending'",
);
const PENDING = query<FlowRow>(
  `SELECT ${COLUMNS} FROM authorizations WHERE project_id = ? AND user_id = ? AND provider_id = ? ` +
    "AND status = 'pending' AND expires_at > ? ORDER BY created_at DESC, id DESC LIMIT 100",
);
const add = insertInto<FlowRow>("authorizations", ALL);
type FlowKey = Pick<FlowRow, "project_id" | "id">;
const open = command<FlowKey & Opening & { earlierState: string }>(
  "UPDATE authorizations SET browser_hash = :browserHash, state_hash = :stateHash, " +
    "sealed_exchange = :sealedExchange, expires_at = :expiresAt WHERE project_id = :project_id AND id = :id " +
    "AND status = 'pending' AND used_at IS NULL AND COALESCE(state_hash, '') = :earlierState",
);
const USE = query(
  "UPDATE authorizations SET used_at = ? WHERE project_id = ? AND id = ? AND status = 'pending' " +
    "AND used_at IS NULL AND state_hash = ?",
);
const HOLD = query(
  "UPDATE authorizations SET sealed_grant = ? WHERE project_id = ? AND id = ? AND status = 'pending'",
);
type FinishedFlow = Pick<FlowRow, "status" | "reason" | "scopes" | "connection_id" | "finished_at">;
const finish = command<FlowKey & FinishedFlow>(
  "UPDATE authorizations SET status = :status, reason = :reason, scopes = :scopes, " +
    "connection_id = :connection_id, finished_at = :finished_at, " +
    "sealed_address = NULL, sealed_exchange = NULL, sealed_grant = NULL " +
    "WHERE project_id = :project_id AND id = :id AND status = 'pending'",
);
const PENDING_OF_PROVIDER = query<Pick<FlowRow, "id" | "user_id">>(
  "SELECT id, user_id FROM authorizations " +
    "WHERE project_id = ? AND provider_id = ? AND status = 'pending' AND expires_at > ? ORDER BY id",
);
const FAIL_OF_PROVIDER = query(
  "UPDATE authorizations SET status = 'failed', reason = ?, finished_at = ?, sealed_address = NULL, " +
    "sealed_exchange = NULL, sealed_grant = NULL WHERE project_id = ? AND provider_id = ? AND status = 'pending'",
);
// The flow gives up its grant: it must be revoked.
const REVOKE =
  "INSERT INTO revocations (id, project_id, user_id, provider_id, flow_id, origins_id, sealed_grant, is_usable, " +
  "attempts, due_at, created_at) SELECT id, project_id, user_id, provider_id, id, COALESCE((SELECT origins_id FROM auth_providers AS provider " +
  "WHERE provider.project_id = authorizations.project_id AND provider.id = authorizations.provider_id), ''), sealed_grant, " +
  "1, 0, ?, ? FROM authorizations WHERE status = 'pending' AND sealed_grant IS NOT NULL AND project_id = ? AND ";
const REVOKE_FLOW = query(`${REVOKE}id = ?`);
const REVOKE_OF_PROVIDER = query(`${REVOKE}provider_id = ?`);
const REVOKE_OF_USER = query(`${REVOKE}user_id = ?`);
const PENDING_OF_USER = query<Pick<FlowRow, "id">>(
  "SELECT id FROM authorizations WHERE project_id = ? AND user_id = ? AND status = 'pending' AND expires_at > ? ORDER BY id",
);
const FAIL_OF_USER = query(
  "UPDATE authorizations SET status = 'failed', reason = ?, finished_at = ?, sealed_address = NULL, " +
    "sealed_exchange = NULL, sealed_grant = NULL WHERE project_id = ? AND user_id = ? AND status = 'pending'",
);
const HELD = query<FlowKey>(
  "SELECT project_id, id FROM authorizations WHERE sealed_grant IS NOT NULL AND status = 'pending' " +
    "ORDER BY expires_at LIMIT ?",
);
export function findFlow(store: Store, projectId: string, id: string): Promise<FlowRow | undefined> {
  return store.get(FIND, projectId, id);
}

export function findFlowByAddress(store: Store, addressHash: string): Promise<FlowRow | undefined> {
  return store.get(FIND_BY_ADDRESS, addressHash);
}

export function findFlowByState(store: Store, stateHash: string): Promise<FlowRow | undefined> {
  return store.get(FIND_BY_STATE, stateHash);
}

export function findFlowByCheck(store: Store, checkHash: string): Promise<FlowRow | undefined> {
  return store.get(FIND_BY_CHECK, checkHash);
}

export function pendingFlows(
  store: Store,
  projectId: string,
  userId: string,
  providerId: string,
  now: number,
): Promise<FlowRow[]> {
  return store.all(PENDING, projectId, userId, providerId, now);
}

export function* pendingInTransaction(
  projectId: string,
  userId: string,
  providerId: string,
  now: number,
): Transaction<FlowRow[]> {
  return yield* all(PENDING, projectId, userId, providerId, now);
}

export function* flowInTransaction(projectId: string, id: string): Transaction<FlowRow | undefined> {
  return yield* get(FIND, projectId, id);
}

export function* addFlow(row: FlowRow): Transaction<void> {
  yield* add({ ...row, scopes: row.scopes === row.needed ? "" : row.scopes });
}

export interface Opening {
  browserHash: string;
  stateHash: string;
  sealedExchange: string;
  expiresAt: number;
}

/** Binds the flow to a browser; false if the callback has arrived, or the flow was opened since `row` was read. */
export function* openFlow(row: FlowRow, opening: Opening): Transaction<boolean> {
  const { project_id, id, state_hash } = row;
  return (yield* open({ ...opening, project_id, id, earlierState: state_hash ?? "" })) === 1;
}

/** Marks the state as used; false if it was already used. */
/** False if the state was used before, or another browser has opened the flow meanwhile. */
export function* useState(row: FlowRow, now: number): Transaction<boolean> {
  return (yield* run(USE, now, row.project_id, row.id, row.state_hash)) === 1;
}

export function* holdGrant(row: FlowRow, sealedGrant: string): Transaction<boolean> {
  return (yield* run(HOLD, sealedGrant, row.project_id, row.id)) === 1;
}

/** Sets the id with which the customer's verifier confirms the flow. */
export function* setCheck(row: FlowRow, checkHash: string): Transaction<boolean> {
  return (yield* run(SET_CHECK, checkHash, row.project_id, row.id)) === 1;
}

/** Marks that id as used; false if it was already used. */
export function* useCheck(row: FlowRow): Transaction<boolean> {
  return (yield* run(USE_CHECK, row.project_id, row.id, row.check_hash)) === 1;
}

export interface Ending {
  status: "completed" | "failed";
  reason: string | null;
  scopes: readonly string[];
  connectionId: string | null;
}

/** Ends a pending flow, wakes its pollers and deletes its sealed values; false if it had already ended. */
export function* finishFlow(row: FlowRow, ending: Ending, now: number): Transaction<boolean> {
  const { status, reason, scopes, connectionId: connection_id } = ending;
  const { project_id, id } = row;
  yield* touch("authorizations");
  if (status === "failed" && connection_id === null) yield* run(REVOKE_FLOW, now, now, project_id, id);
  const end = { status, reason, scopes: JSON.stringify(scopes), connection_id, finished_at: now };
  return (yield* finish({ project_id, id, ...end })) === 1;
}

/** Fails the pending flows of a provider that is changed or deleted. Returns their ids and users. */
export function* failFlowsOfProvider(
  projectId: string,
  providerId: string,
  reason: string,
  now: number,
): Transaction<Pick<FlowRow, "id" | "user_id">[]> {
  const failed = yield* all(PENDING_OF_PROVIDER, projectId, providerId, now);
  yield* run(REVOKE_OF_PROVIDER, now, now, projectId, providerId);
  yield* run(FAIL_OF_PROVIDER, reason, now, projectId, providerId);
  yield* touch("authorizations");
  return failed;
}

/** The same for the flows of a user. */
export function* failFlowsOfUser(
  projectId: string,
  userId: string,
  reason: string,
  now: number,
): Transaction<Pick<FlowRow, "id">[]> {
  const failed = yield* all(PENDING_OF_USER, projectId, userId, now);
  yield* run(REVOKE_OF_USER, now, now, projectId, userId);
  yield* run(FAIL_OF_USER, reason, now, projectId, userId);
  yield* touch("authorizations");
  return failed;
}

/** Flows that hold a grant, first those that expire first. */
export function heldFlows(store: Store, limit: number): Promise<FlowKey[]> {
  return store.all(HELD, limit);
}
