// A grant that is sealed in its consent flow until the user is verified.
import { type Json, Redacted } from "../base";
import type { Keyring, Place } from "../crypto";
import type { TokenGrant } from "./token-request";

interface HeldGrant {
  access: string;
  refresh: string | null;
  expiresIn: number | null;
  /** When the provider issued it, ms. `expiresIn` counts from here, not from the confirmation. */
  grantedAt: number;
  scopes: string[] | null;
  facts: TokenGrant["facts"];
  userInfo?: Json;
}

export function sealHeldGrant(
  keyring: Keyring,
  projectId: string,
  flowId: string,
  grant: TokenGrant,
  now: number,
): Promise<string> {
  const held: HeldGrant = {
    access: grant.accessToken.reveal(),
    refresh: grant.refreshToken?.reveal() ?? null,
    expiresIn: grant.expiresIn ?? null,
    grantedAt: now,
    scopes: grant.scopes ?? null,
    facts: grant.facts,
    ...(grant.userInfo === undefined ? {} : { userInfo: grant.userInfo }),
  };
  return keyring.seal(projectId, placeOfGrant(flowId), JSON.stringify(held));
}

export async function openHeldGrant(
  keyring: Keyring,
  projectId: string,
  flowId: string,
  sealed: string,
): Promise<TokenGrant & { grantedAt: number }> {
  const held: HeldGrant = JSON.parse(await keyring.open(projectId, placeOfGrant(flowId), sealed));
  return {
    accessToken: new Redacted(held.access),
    refreshToken: held.refresh === null ? undefined : new Redacted(held.refresh),
    expiresIn: held.expiresIn ?? undefined,
    grantedAt: held.grantedAt,
    scopes: held.scopes ?? undefined,
    facts: held.facts,
    ...(held.userInfo === undefined ? {} : { userInfo: held.userInfo }),
  };
}

export function placeOfGrant(flowId: string): Place {
  return { table: "authorizations", row: flowId, field: "grant" };
}
