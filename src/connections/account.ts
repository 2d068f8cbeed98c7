// Which account at the provider a grant belongs to.
import { isObject, type Json, type JsonObject } from "../base";
import { hashOf } from "../crypto";
import type { Provider } from "../providers";
import type { AccountInfo } from "./tokens";

/** A hash that is the same for every connection of this account and client; null if the account is unknown. */
export function accountOf({ oauth2 }: Provider, { facts, userInfo }: AccountInfo): string | null {
  // Some of the facts may be missing (an organization-wide account has no team), but not all.
  const named = oauth2.account.map((name) => facts[name] ?? null);
  const parts = named.some((part) => part !== null) ? named : [userOf(userInfo)];
  if (parts.every((part) => part === null)) return null;
  return hashOf(JSON.stringify([new URL(oauth2.token.endpoint).origin, oauth2.clientId, ...parts]));
}

/** The user's id in a user info answer; `sub` is defined in OpenID Connect Core section 5.3.2. */
function userOf(userInfo: Json | undefined): Json {
  if (!isObject(userInfo)) return null;
  return userInfo["sub"] ?? userInfo["id"] ?? null;
}

/** A refresh must not change the account (OpenID Connect Core, section 12.2). Facts that are missing are not compared. */
export function namesAnotherAccount({ oauth2 }: Provider, before: JsonObject, now: JsonObject): boolean {
  return oauth2.account.some((name) => {
    const [old = null, current = null] = [before[name], now[name]];
    return old !== null && current !== null && JSON.stringify(old) !== JSON.stringify(current);
  });
}
