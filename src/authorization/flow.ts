// Consent flows: their status, their record in API responses, and their sealed values.
import type { Actor } from "../audit";
import type { Core } from "../core";
import { hashOf, sealedColumn } from "../crypto";
import type { ConsentParties } from "./outcome";
import type { FlowRow } from "./repository";
import type { Authorization } from "./schema";

/** Lifetime of an address that was not opened. */
export const UNOPENED_MS = 24 * 3600_000;
/** Lifetime from the first opening. */
export const OPENED_MS = 10 * 60_000;
/** The same for a person who may have to make a key first. */
export const OPENED_FOR_KEY_MS = 60 * 60_000;

export const EXPIRED = "the consent was not finished in time; start a new authorization";

/** The reasons of flows that a person has declined. */
export const DECLINED_AT_PROVIDER = "the consent was declined at the provider";
export const OTHER_ACCOUNT = "the person said that this is not their account";
export const NO_KEY_GIVEN = "the person did not give a key";
export const MANY_REFUSED_KEYS = "too many keys were refused; start a new authorization";
export const OTHER_USER = "the signed-in user is not the user of this consent";
export const NOT_GRANTED = "the user did not grant ";
export const DECLINED: ReadonlySet<string> = new Set([DECLINED_AT_PROVIDER, OTHER_ACCOUNT, NO_KEY_GIVEN]);

/** The browser of a consent, for the audit trail. */
export function browserOf({ project_id }: FlowRow, address: string | undefined): Actor {
  return { kind: "browser", projectId: project_id, address };
}

export function partiesOf({ project_id, provider_id }: FlowRow): ConsentParties {
  return { projectId: project_id, providerId: provider_id ?? undefined };
}

/** Expired pending flows count as failed, although their row is still pending. */
export function statusOf(row: FlowRow, now: number): FlowRow["status"] {
  return row.status === "pending" && row.expires_at <= now ? "failed" : row.status;
}

export function reasonOf(row: FlowRow, now: number): string | undefined {
  if (row.reason !== null) return row.reason;
  return row.status === "pending" && row.expires_at <= now ? EXPIRED : undefined;
}

/** Our address for the browser. Throws for ended flows, whose address is deleted. */
export async function addressOf(core: Core, row: FlowRow): Promise<string> {
  const token = await core.keyring.open(row.project_id, placeOf(row.id, "address"), row.sealed_address ?? "");
  return `${core.publicUrl()}/authorize/${token}`;
}

/** The record in API responses. */
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

/** Without the address for those who may not send the user: who has it can end the consent, or grant something else. */
export function shownTo(maySend: boolean, record: Authorization): Authorization {
  const { url: _, ...rest } = record;
  return maySend ? record : rest;
}

/** What a callback needs to know about the authorization request. It is sealed in the flow. */
export interface Exchange {
  state: string;
  /** PKCE (RFC 7636); null if the provider does not support it. */
  verifier: string | null;
}

export function sealExchange(core: Core, flow: FlowRow, exchange: Exchange): Promise<string> {
  return core.keyring.seal(flow.project_id, placeOf(flow.id, "exchange"), JSON.stringify(exchange));
}

export async function openExchange(core: Core, flow: FlowRow): Promise<Exchange | undefined> {
  if (flow.sealed_exchange === null) return undefined;
  const place = placeOf(flow.id, "exchange");
  return JSON.parse(await core.keyring.open(flow.project_id, place, flow.sealed_exchange));
}

/**
 * Proves that a form comes from our page in the browser that opened the flow, because the state is secret. A form of one
 * purpose is not valid for another.
 */
export function formCheckOf({ state }: Exchange, purpose: "confirm" | "key"): string {
  return hashOf(`${purpose} ${state}`);
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

/** A pending flow without a provider. */
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
