// A flow as it stands, and as clients see it.
import type { Core } from "../core";
import { sealedColumn } from "../crypto";
import type { FlowRow } from "./repository";
import type { Authorization } from "./schema";

/** Lifetime of an address that nobody has opened. */
export const UNOPENED_MS = 24 * 3600_000;
/** Lifetime from the first opening on. */
export const OPENED_MS = 10 * 60_000;
/** Ended flows are kept this long, so that a late poll still learns how it ended. */
export const KEPT_MS = 7 * 24 * 3600_000;

export const EXPIRED = "the consent was not finished in time; start a new authorization";

/** Pending flows that ran out have failed, whether or not anybody wrote that down yet. */
export function statusOf(row: FlowRow, now: number): FlowRow["status"] {
  return row.status === "pending" && row.expires_at <= now ? "failed" : row.status;
}

export function reasonOf(row: FlowRow, now: number): string | undefined {
  if (row.reason !== null) return row.reason;
  return row.status === "pending" && row.expires_at <= now ? EXPIRED : undefined;
}

/** Our address for the browser. Throws when it was forgotten, which happens only to ended flows. */
export async function addressOf(core: Core, row: FlowRow): Promise<string> {
  const token = await core.keyring.open(row.project_id, placeOf(row.id, "address"), row.sealed_address ?? "");
  return `${core.publicUrl()}/authorize/${token}`;
}

/** The record that clients get. */
export async function flowRecord(core: Core, row: FlowRow): Promise<Authorization> {
  const now = core.clock.now();
  const status = statusOf(row, now);
  const reason = reasonOf(row, now);
  return {
    id: row.id,
    status,
    ...(reason === undefined ? {} : { status_reason: reason }),
    ...(status === "pending" ? { url: await addressOf(core, row) } : {}),
    user_id: row.user_id,
    ...(row.provider_id === null ? {} : { provider_id: row.provider_id }),
    scopes: JSON.parse(row.scopes),
    context: {},
  };
}

export const sealedFlows = ["address", "exchange", "grant"].map((field) =>
  sealedColumn({
    table: "authorizations",
    column: `sealed_${field}`,
    keys: ["id"],
    place: (row) => placeOf(String(row["id"]), field),
  }),
);

export function placeOf(flowId: string, field: string): { table: string; row: string; field: string } {
  return { table: "authorizations", row: flowId, field };
}

/** A pending flow in which everything is still open. */
export function emptyFlow(id: string, projectId: string, userId: string, now: number): FlowRow {
  return {
    id,
    project_id: projectId,
    user_id: userId,
    provider_id: null,
    provider_version: null,
    status: "pending",
    reason: null,
    needed: "[]",
    scopes: "[]",
    next_uri: null,
    connection_id: null,
    address_hash: null,
    sealed_address: null,
    browser_hash: null,
    state_hash: null,
    sealed_exchange: null,
    used_at: null,
    sealed_grant: null,
    check_hash: null,
    created_at: now,
    expires_at: now,
    finished_at: null,
  };
}
