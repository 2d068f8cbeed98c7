// The auth provider of a worker, with which users consent to it as to any other.
import {
  AUTHORIZE_PARAMS,
  revokeRequest,
  type AuthProvider,
  type OAuth2ProviderCreate,
  type Provider,
} from "../../providers";
import { originOf } from "../../origins";
import type { WorkerClient } from "./client";
import type { Discovered } from "./discovery";

export interface ProviderFacts {
  id: string;
  externalId: string;
  worker: { id: string; uri: string };
  discovered: Discovered;
  /** Empty: none is sent. */
  resource: string;
  client: WorkerClient;
}

/** The record. Nothing but its consents, refreshes and revocations is asked: the tokens are for the worker only. */
export function providerFor(facts: ProviderFacts): OAuth2ProviderCreate {
  const { id, externalId, worker, discovered, resource, client } = facts;
  const { server, issuer, scopes } = discovered;
  const token = { endpoint: server.token_endpoint, auth_method: client.method };
  const revocation = revokeRequest(server, client.method, false);
  return {
    id,
    external_id: externalId,
    description: `${worker.id} (${new URL(worker.uri).host})`,
    oauth2: {
      client_id: client.id,
      ...(client.secret === undefined ? {} : { client_secret: client.secret }),
      issuer,
      ...(server.authorization_response_iss_parameter_supported === true
        ? { authorization_response_iss_parameter_supported: true }
        : {}),
      resource,
      default_scopes: scopes,
      pkce: { enabled: true },
      authorize_request: {
        endpoint: server.authorization_endpoint,
        // OpenID providers ignore the scope otherwise (OpenID Connect Core, section 11).
        ...(scopes.includes("offline_access") ? { params: { ...AUTHORIZE_PARAMS, prompt: "consent" } } : {}),
      },
      token_request: token,
      refresh_request: token,
      ...(revocation === undefined ? {} : { revoke_request: revocation }),
    },
  };
}

/**
 * Whether grants of a provider are good for the new record as well: the same issuer, client, token server and resource.
 * Otherwise users must consent again.
 */
export function keepsGrants(before: Provider, { oauth2 }: OAuth2ProviderCreate): boolean {
  const { issuer, clientId, token } = before.oauth2;
  return (
    issuer === oauth2.issuer &&
    clientId === oauth2.client_id &&
    originOf(token.endpoint) === originOf(oauth2.token_request?.endpoint ?? "") &&
    (token.params?.["resource"] ?? "") === (oauth2.resource ?? "")
  );
}

/** Whether a record already says what a new one would, secrets apart. */
export function saysTheSame(record: AuthProvider, { oauth2, description }: OAuth2ProviderCreate): boolean {
  const { client_secret: _, ...wanted } = oauth2;
  const has: Readonly<Record<string, unknown>> = record.oauth2 ?? {};
  return (
    record.description === description &&
    Object.entries(wanted).every(([name, value]) => Bun.deepEquals(has[name], value))
  );
}
