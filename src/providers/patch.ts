// The rows of requests. PATCH merges objects field by field, and replaces free maps (`params`, `response_map`).
import type { Static, TSchema } from "typebox";
import { isObject } from "../base";
import { newToken, type Random } from "../crypto";
import { ApiKeyConfig, ApiKeyPatch } from "./api-key-schema";
import type { ProviderRow } from "./repository";
import {
  type AuthProviderCreate,
  type AuthProviderPatch,
  type OAuth2Config,
  OAuth2Patch,
  withTriggers,
} from "./schema";

const FREE_MAPS = ["params", "response_map"];

/** Null: not in the request, so the stored secret stays. */
export interface SealedSecrets {
  clientSecret: string | null;
  privateKey: string | null;
}

/** The row of a new provider, without its secrets and origins. `externalId`: that of its redirect address. */
export function newRow(
  projectId: string,
  request: AuthProviderCreate,
  {
    oauth2,
    externalId,
    random,
    now,
  }: { oauth2: OAuth2Config | undefined; externalId: string; random: Random; now: number },
): ProviderRow {
  return {
    project_id: projectId,
    id: request.id,
    provider_id: request.provider_id ?? null,
    type: request.type ?? "oauth2",
    description: request.description ?? null,
    external_id: externalId,
    status: request.status ?? "active",
    oauth2: JSON.stringify(oauth2 ?? {}),
    api_key:
      request.api_key === undefined ? null : JSON.stringify(knownFields(ApiKeyConfig, request.api_key)),
    sealed_client_secret: null,
    sealed_private_key: null,
    origins: null,
    origins_id: newToken(random),
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

/** The row after the patch. A change of a field that pending consents depend on increments the version. */
export function patchedRow(
  row: ProviderRow,
  patch: AuthProviderPatch,
  sealed: SealedSecrets,
  now: number,
): ProviderRow {
  const { client_secret: _, private_key: __, ...changes } = knownFields(OAuth2Patch, patch.oauth2 ?? {});
  const before: OAuth2Config = JSON.parse(row.oauth2);
  const oauth2 = JSON.stringify(withTriggers(merge({ ...before }, changes)));
  const api_key = patchedApiKey(row, patch.api_key);
  const provider_id = patch.provider_id ?? row.provider_id;
  const sealed_client_secret = sealed.clientSecret ?? row.sealed_client_secret;
  const sealed_private_key = sealed.privateKey ?? row.sealed_private_key;
  const changed =
    oauth2 !== row.oauth2 ||
    api_key !== row.api_key ||
    provider_id !== row.provider_id ||
    sealed_client_secret !== row.sealed_client_secret ||
    sealed_private_key !== row.sealed_private_key;
  return {
    ...row,
    provider_id,
    description: patch.description ?? row.description,
    status: patch.status ?? row.status,
    oauth2,
    api_key,
    sealed_client_secret,
    sealed_private_key,
    version: changed ? row.version + 1 : row.version,
    updated_at: now,
  };
}

function patchedApiKey({ api_key }: ProviderRow, patch: AuthProviderPatch["api_key"]): string | null {
  if (api_key === null || patch === undefined) return api_key;
  return JSON.stringify(merge(JSON.parse(api_key), knownFields(ApiKeyPatch, patch)));
}

/**
 * A copy without fields that are not in the schema. They are ignored but must not be stored: stored fields are shown, and
 * an unknown field may be a secret that only a newer version knows.
 */
export function knownFields<T extends TSchema>(schema: T, value: Static<T>): Static<T> {
  // The value was checked, and only extra fields were removed.
  return known(schema, structuredClone(value)) as Static<T>;
}

// Only objects with named fields are filtered. Free maps are values.
function known(schema: object, value: unknown): unknown {
  if (!isObject(value) || !("properties" in schema) || !isObject(schema.properties)) return value;
  const fields = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(
    fields.map(([name, field]) => [name, isObject(field) ? known(field, value[name]) : value[name]]),
  );
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

/** Which secrets got another value. */
export function changedSecrets(before: ProviderRow, after: ProviderRow): object {
  const secrets = (["client_secret", "private_key"] as const).filter(
    (name) => before[`sealed_${name}`] !== after[`sealed_${name}`],
  );
  return secrets.length === 0 ? {} : { secrets };
}
