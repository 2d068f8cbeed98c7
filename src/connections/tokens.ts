// The sealed part of a connection: tokens and facts, bound to project, user and provider.
import { type Json, type JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { type Keyring, sealedColumn, type SealedRow, Unopenable } from "../crypto";
import { placeOfGrant } from "./held-grant";
import type { ConnectionRow } from "./repository";

export interface Tokens {
  accessToken: Redacted;
  refreshToken: Redacted | undefined;
}

/** Information about the account at the provider. */
export interface AccountInfo {
  facts: JsonObject;
  /** The answer of the user info request. */
  userInfo?: Json;
}

/** Adds the information of a new grant. */
export function mergeAccountInfo(before: AccountInfo, grant: AccountInfo): AccountInfo {
  const userInfo = grant.userInfo ?? before.userInfo;
  return { facts: { ...before.facts, ...grant.facts }, ...(userInfo === undefined ? {} : { userInfo }) };
}

type RowKey = Pick<ConnectionRow, "project_id" | "user_id" | "provider_id">;
type Sealed = Pick<ConnectionRow, "sealed_tokens" | "sealed_facts">;

/** Refresh this long before the expiry, but never in the first half of a short lifetime. */
const AHEAD_MS = 5 * 60_000;

/** When to refresh a token, ms; null if its lifetime is unknown. */
export function refreshTime(now: number, expiresIn: number | undefined): number | null {
  if (expiresIn === undefined) return null;
  const lifetime = expiresIn * 1000;
  return now + Math.max(lifetime - AHEAD_MS, lifetime / 2);
}

export async function sealTokens(
  keyring: Keyring,
  row: RowKey,
  tokens: Tokens,
  info: AccountInfo,
): Promise<Sealed> {
  const { accessToken, refreshToken } = tokens;
  const text = JSON.stringify({ access: accessToken.reveal(), refresh: refreshToken?.reveal() ?? null });
  return {
    sealed_tokens: await keyring.seal(row.project_id, placeOf(row, "tokens"), text),
    sealed_facts: await keyring.seal(row.project_id, placeOf(row, "facts"), JSON.stringify(info)),
  };
}

/** The tokens of a connection cannot be opened any more: the user must consent again. */
export class TokensLost extends Unopenable {}

/** Throws `TokensLost`. */
export async function openTokens(keyring: Keyring, row: RowKey & Sealed): Promise<Tokens & AccountInfo> {
  return opened(keyring, row).catch((error: unknown) => {
    throw error instanceof Unopenable ? new TokensLost(error.message, error) : error;
  });
}

async function opened(keyring: Keyring, row: RowKey & Sealed): Promise<Tokens & AccountInfo> {
  const text = await keyring.open(row.project_id, placeOf(row, "tokens"), row.sealed_tokens);
  const { access, refresh }: { access: string; refresh: string | null } = JSON.parse(text);
  const info = await openAccountInfo(keyring, row);
  return {
    accessToken: new Redacted(access),
    refreshToken: refresh === null ? undefined : new Redacted(refresh),
    ...info,
  };
}

/** Opens the facts and the user info, without the tokens. */
export async function openAccountInfo(
  keyring: Keyring,
  row: RowKey & Pick<Sealed, "sealed_facts">,
): Promise<AccountInfo> {
  if (row.sealed_facts === null) return { facts: {} };
  return JSON.parse(await keyring.open(row.project_id, placeOf(row, "facts"), row.sealed_facts));
}

/** Instead of the values of a row that cannot be opened any more. */
export function orLost<T>(values: T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof TokensLost)) throw error;
    return values;
  };
}

/** The row with a refresh token that it came without; undefined if its tokens cannot be opened. */
export async function withRefreshToken(
  { keyring, clock }: Pick<Core, "keyring" | "clock">,
  row: ConnectionRow,
  refreshToken: Redacted,
): Promise<ConnectionRow | undefined> {
  const kept = await openTokens(keyring, row).catch(orLost(undefined));
  if (kept === undefined) return undefined;
  return {
    ...row,
    ...(await sealTokens(keyring, row, { ...kept, refreshToken }, mergeAccountInfo(kept, { facts: {} }))),
    has_refresh: 1,
    version: row.version + 1,
    token_version: row.token_version + 1,
    updated_at: clock.now(),
  };
}

const ofConnections = ["tokens", "facts"].flatMap((field) => [
  sealedColumn({
    table: "connections",
    kind: "connections",
    column: `sealed_${field}`,
    keys: ["user_id", "provider_id"],
    place: (row) => placeOf(keyOf(row), field),
  }),
  sealedColumn({
    table: "revocations",
    column: `sealed_${field}`,
    keys: ["id", "user_id", "provider_id"],
    place: (row) => placeOf(keyOf(row), field),
  }),
]);

const ofFlows = sealedColumn({
  table: "revocations",
  column: "sealed_grant",
  keys: ["id", "flow_id"],
  place: (row) => placeOfGrant(String(row["flow_id"])),
});

export const sealedConnections = [...ofConnections, ofFlows];

function keyOf(row: SealedRow): Pick<RowKey, "user_id" | "provider_id"> {
  return { user_id: String(row["user_id"]), provider_id: String(row["provider_id"]) };
}

function placeOf(
  row: Pick<RowKey, "user_id" | "provider_id">,
  field: string,
): { table: string; row: string; field: string } {
  return { table: "connections", row: JSON.stringify([row.user_id, row.provider_id]), field };
}
