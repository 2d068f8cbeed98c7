// A row as the provider that the services use, and as the record in API responses.
import { timestamp } from "../base";
import { projectBinding } from "../identity";
import type { Provider } from "./effective";
import { effectiveOf, originsOfProvider, type Platforms } from "./origins";
import { nameOf } from "./preset";
import { apiKeyOf, type ProviderRow } from "./repository";
import type { AuthProvider, OAuth2Config } from "./schema";

export function providerOf(row: ProviderRow, redirectUri: string, platforms: Platforms): Provider {
  const preset = platforms.presets.get(row.provider_id ?? "");
  return {
    id: row.id,
    projectId: row.project_id,
    providerId: row.provider_id ?? undefined,
    variantOf: preset?.variantOf,
    name: row.description || nameOf(preset) || row.id,
    scopeWords: preset?.scopeWords ?? {},
    type: row.api_key === null ? "oauth2" : "api_key",
    description: row.description ?? undefined,
    active: row.status === "active",
    version: row.version,
    redirectUri,
    oauth2: effectiveOf(row, platforms),
    apiKey: apiKeyOf(row),
    origins: originsOfProvider(row, platforms),
    originsId: row.origins_id,
    sealedClientSecret: row.sealed_client_secret,
    sealedPrivateKey: row.sealed_private_key,
  };
}

export function oauth2Of(row: ProviderRow): OAuth2Config {
  return JSON.parse(row.oauth2);
}

/** The worker that a record was created for. */
export function workerOf(row: ProviderRow): string | undefined {
  return oauth2Of(row).worker;
}

export function providerRecord(row: ProviderRow, redirectUri: string): AuthProvider {
  const apiKey = apiKeyOf(row);
  return {
    id: row.id,
    ...(row.provider_id === null ? {} : { provider_id: row.provider_id }),
    type: apiKey === undefined ? "oauth2" : "api_key",
    status: row.status === "active" ? "active" : "inactive",
    ...(row.description === null ? {} : { description: row.description }),
    binding: projectBinding(row.project_id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    ...(apiKey === undefined ? { oauth2: oauth2Record(row, redirectUri) } : { api_key: apiKey }),
  };
}

function oauth2Record(row: ProviderRow, redirectUri: string): NonNullable<AuthProvider["oauth2"]> {
  const { client_id, ...rest } = oauth2Of(row);
  const secret = { binding: "project", editable: true } as const;
  return {
    client_id,
    client_secret: { ...secret, exists: row.sealed_client_secret !== null },
    ...(row.sealed_private_key === null ? {} : { private_key: { ...secret, exists: true } }),
    redirect_uri: redirectUri,
    ...rest,
  };
}
