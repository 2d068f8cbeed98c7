// The sealed part of a connection: tokens and facts, bound to project, user and provider.
import { type Json, type JsonObject, Redacted } from "../base";
import { type Keyring, sealedColumn, type SealedRow, Unopenable } from "../crypto";
import type { ConnectionRow } from "./repository";

export interface Tokens {
  accessToken: Redacted;
  refreshToken: Redacted | undefined;
}

/** What the provider told about the account. */
export interface Known {
  facts: JsonObject;
  /** What the user info request gave. */
  userInfo?: Json;
}

/** What is known once a grant has told its part. */
export function knownAfter(before: Known, grant: Known): Known {
  const userInfo = grant.userInfo ?? before.userInfo;
  return { facts: { ...before.facts, ...grant.facts }, ...(userInfo === undefined ? {} : { userInfo }) };
}

type RowKey = Pick<ConnectionRow, "project_id" | "user_id" | "provider_id">;
type Sealed = Pick<ConnectionRow, "sealed_tokens" | "sealed_facts">;

/** Refresh this long before the expiry, but never in the first half of a short life. */
const AHEAD_MS = 5 * 60_000;

/** When to refresh a token of this life, ms; null when its life is not known. */
export function refreshTime(now: number, expiresIn: number | undefined): number | null {
  if (expiresIn === undefined) return null;
  const life = expiresIn * 1000;
  return now + Math.max(life - AHEAD_MS, life / 2);
}

export async function sealTokens(
  keyring: Keyring,
  row: RowKey,
  tokens: Tokens,
  known: Known,
): Promise<Sealed> {
  const { accessToken, refreshToken } = tokens;
  const text = JSON.stringify({ access: accessToken.reveal(), refresh: refreshToken?.reveal() ?? null });
  return {
    sealed_tokens: await keyring.seal(row.project_id, placeOf(row, "tokens"), text),
    sealed_facts: await keyring.seal(row.project_id, placeOf(row, "facts"), JSON.stringify(known)),
  };
}

/** The tokens of a connection cannot be opened any more: its grant is gone, and its user must consent again. */
export class TokensLost extends Unopenable {}

/** Throws `TokensLost`. */
export async function openTokens(keyring: Keyring, row: RowKey & Sealed): Promise<Tokens & Known> {
  return opened(keyring, row).catch((error: unknown) => {
    throw error instanceof Unopenable ? new TokensLost(error.message, error) : error;
  });
}

async function opened(keyring: Keyring, row: RowKey & Sealed): Promise<Tokens & Known> {
  const text = await keyring.open(row.project_id, placeOf(row, "tokens"), row.sealed_tokens);
  const { access, refresh }: { access: string; refresh: string | null } = JSON.parse(text);
  const known = await openKnown(keyring, row);
  return {
    accessToken: new Redacted(access),
    refreshToken: refresh === null ? undefined : new Redacted(refresh),
    ...known,
  };
}

/** The facts and the user info alone. */
export async function openKnown(
  keyring: Keyring,
  row: RowKey & Pick<Sealed, "sealed_facts">,
): Promise<Known> {
  if (row.sealed_facts === null) return { facts: {} };
  return JSON.parse(await keyring.open(row.project_id, placeOf(row, "facts"), row.sealed_facts));
}

export const sealedConnections = ["tokens", "facts"].map((field) =>
  sealedColumn({
    table: "connections",
    kind: "connections",
    column: `sealed_${field}`,
    keys: ["user_id", "provider_id"],
    place: (row) => placeOf(keyOf(row), field),
  }),
);

function keyOf(row: SealedRow): Pick<RowKey, "user_id" | "provider_id"> {
  return { user_id: String(row["user_id"]), provider_id: String(row["provider_id"]) };
}

function placeOf(
  row: Pick<RowKey, "user_id" | "provider_id">,
  field: string,
): { table: string; row: string; field: string } {
  return { table: "connections", row: JSON.stringify([row.user_id, row.provider_id]), field };
}
