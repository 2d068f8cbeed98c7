// PATCH of a provider: objects merge field by field, free maps (`params`, `response_map`) are replaced whole.
import { isObject } from "../base";
import type { ProviderRow } from "./repository";
import type { AuthProviderPatch, OAuth2Config } from "./schema";

const FREE_MAPS = ["params", "response_map"];

/** The row after the patch. Its version grows when something changed that a pending consent depends on. */
export function patched(
  row: ProviderRow,
  patch: AuthProviderPatch,
  sealedSecret: string | null,
  now: number,
): ProviderRow {
  const { client_secret: _, ...changes } = patch.oauth2 ?? {};
  const before: OAuth2Config = JSON.parse(row.oauth2);
  const oauth2 = JSON.stringify(merge({ ...before }, changes));
  const provider_id = patch.provider_id ?? row.provider_id;
  const sealed_client_secret = sealedSecret ?? row.sealed_client_secret;
  const changed =
    oauth2 !== row.oauth2 ||
    provider_id !== row.provider_id ||
    sealed_client_secret !== row.sealed_client_secret;
  return {
    ...row,
    provider_id,
    description: patch.description ?? row.description,
    status: patch.status ?? row.status,
    oauth2,
    sealed_client_secret,
    version: changed ? row.version + 1 : row.version,
    updated_at: now,
  };
}

function merge(
  target: { [key: string]: unknown },
  changes: { [key: string]: unknown },
): { [key: string]: unknown } {
  const merged = { ...target };
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key];
    const deep = isObject(value) && isObject(before) && !FREE_MAPS.includes(key);
    merged[key] = deep ? merge(before, value) : value;
  }
  return merged;
}
