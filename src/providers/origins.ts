// The origins that the secrets of a provider's client, and the tokens of its users, were given for: those of every endpoint
// that receives one of them. The authorize endpoint receives none: the user's browser opens it.
import {
  movedAddresses,
  originsOf,
  type ReceivingAddress,
  requireGivenAgain,
  storedOrigins,
} from "../origins";
import { type EffectiveOAuth2, effectiveOAuth2, NO_OAUTH2 } from "./effective";
import type { ProviderPreset } from "./preset";
import { apiKeyOf, type ProviderRow } from "./repository";
import type { AuthProviderPatch } from "./schema";
import { fill } from "./template";

/** What the origins of a record depend on besides the record. */
export interface Platforms {
  presets: ReadonlyMap<string, ProviderPreset>;
  settings: Readonly<Record<string, unknown>>;
}

/** In a stored list: the addresses of a well-known provider, which may change with a new version of this program. */
const PLATFORM = "platform:";

/** The addresses that receive secrets or tokens, with the fields that determine them. */
export function receivingAddresses(oauth2: EffectiveOAuth2): ReceivingAddress[] {
  const { clientId, token, refresh, userInfo, introspection, revoke, tokenServers } = oauth2;
  const requests = {
    token_request: token,
    refresh_request: refresh,
    user_info_request: userInfo,
    token_introspection_request: introspection,
    revoke_request: revoke,
  };
  return [
    ...Object.entries(requests).flatMap(([name, request]) =>
      request === undefined
        ? []
        : [{ field: `oauth2.${name}.endpoint`, address: fill(request.endpoint, { client_id: clientId }) }],
    ),
    ...(tokenServers?.origins ?? []).map((address) => ({ field: "provider_id", address })),
  ];
}

/** The addresses of a row that receive secrets, tokens or keys. */
function addressesOf(row: ProviderRow, platforms: Platforms): ReceivingAddress[] {
  if (row.api_key === null) return receivingAddresses(effectiveOf(row, platforms));
  return (apiKeyOf(row)?.addresses ?? []).map((address) => ({ field: "api_key.addresses", address }));
}

/** The list to store with the values of a record. */
export function givenOrigins(row: ProviderRow, platforms: Platforms): string[] {
  const known = platformOrigins(row.provider_id, platforms);
  const own = originsOf(addressesOf(row, platforms).map(({ address }) => address));
  return [
    ...(known.length === 0 ? [] : [`${PLATFORM}${row.provider_id}`]),
    ...own.filter((origin) => !known.includes(origin)),
  ];
}

/** The origins that the stored values of a record may be sent to. */
export function originsOfProvider(row: ProviderRow, platforms: Platforms): string[] {
  const entries = storedOrigins(row.origins, row.origins === null ? givenOrigins(row, platforms) : []);
  return entries.flatMap((entry) =>
    entry.startsWith(PLATFORM) ? platformOrigins(entry.slice(PLATFORM.length), platforms) : [entry],
  );
}

/**
 * Whether a patch moves an address to an origin that the stored values were not given for. Throws `malformed_request` unless
 * the patch contains all of them.
 */
export function movesAddress(
  row: ProviderRow,
  next: ProviderRow,
  { oauth2 = {} }: AuthProviderPatch,
  platforms: Platforms,
): boolean {
  const addresses = addressesOf(next, platforms);
  const moved = movedAddresses(addresses, originsOfProvider(row, platforms));
  const values = [
    { field: "oauth2.client_secret", sealed: row.sealed_client_secret, value: oauth2.client_secret },
    { field: "oauth2.private_key", sealed: row.sealed_private_key, value: oauth2.private_key },
  ];
  requireGivenAgain(
    moved,
    values
      .filter(({ sealed }) => sealed !== null)
      .map(({ field, value }) => ({ field, given: value !== undefined })),
  );
  return moved.length > 0;
}

export function effectiveOf(row: ProviderRow, { presets, settings }: Platforms): EffectiveOAuth2 {
  if (row.api_key !== null) return NO_OAUTH2;
  const preset = row.provider_id === null ? undefined : presets.get(row.provider_id);
  return effectiveOAuth2(JSON.parse(row.oauth2), preset, settings);
}

function platformOrigins(id: string | null, { presets, settings }: Platforms): string[] {
  const preset = id === null ? undefined : presets.get(id);
  if (preset === undefined) return [];
  const addresses = receivingAddresses(effectiveOAuth2({ client_id: "" }, preset, settings));
  return originsOf(addresses.map(({ address }) => address));
}
