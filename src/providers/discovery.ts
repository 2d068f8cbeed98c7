// OpenID Connect Discovery: the metadata of an issuer supplies the requests that a record does not contain.
import type * as oauth from "oauth4webapi";
import { isSameIssuer, loadMetadata } from "../authorization-server";
import type { Core } from "../core";
import { EgressError } from "../egress";
import { malformedRequest } from "../errors";
import { issuerFault } from "./address";
import type { OAuth2Config, RequestConfig } from "./schema";

/**
 * Adds the endpoints of the issuer. A record without an issuer, or with both requests, is returned unchanged.
 * Throws `malformed_request` for `oauth2.issuer` if its metadata cannot be loaded or belongs to another issuer.
 */
export async function withDiscovery(
  core: Core,
  projectId: string,
  own: OAuth2Config,
  hasKey: boolean,
): Promise<OAuth2Config> {
  if (own.issuer === undefined || (own.authorize_request !== undefined && own.token_request !== undefined)) {
    return own;
  }
  const malformed = issuerFault(own.issuer);
  if (malformed !== undefined) throw refused(malformed);
  const server = await metadata(core, projectId, own.issuer);
  const { authorization_endpoint: authorize, token_endpoint: token } = server;
  if (authorize === undefined || token === undefined) {
    throw refused("its metadata has no authorization or token endpoint");
  }
  const auth_method = authMethod(hasKey, server.token_endpoint_auth_methods_supported);
  const authentication = auth_method === undefined ? {} : { auth_method };
  const tokenRequest = { ...authentication, ...(own.token_request ?? { endpoint: token }) };
  const { endpoint, auth_method: method } = tokenRequest;
  const sameAuthentication = method === undefined ? {} : { auth_method: method };
  const revocation = revokeRequest(server, method, hasKey);
  return {
    ...own,
    // Callbacks contain exactly this spelling (RFC 9207).
    issuer: server.issuer,
    ...(server.authorization_response_iss_parameter_supported === true
      ? { authorization_response_iss_parameter_supported: true }
      : {}),
    authorize_request: own.authorize_request ?? { endpoint: authorize },
    token_request: tokenRequest,
    refresh_request: own.refresh_request ?? { endpoint, ...sameAuthentication },
    ...(own.revoke_request === undefined && revocation !== undefined ? { revoke_request: revocation } : {}),
    ...(own.user_info_request === undefined && server.userinfo_endpoint !== undefined
      ? {
          user_info_request: {
            endpoint: server.userinfo_endpoint,
            triggers: { on_token_grant: true, on_token_refresh: false },
          },
        }
      : {}),
  };
}

/** The revocation of refresh tokens, if the server has it. `method`: that of the token endpoint. */
export function revokeRequest(
  server: oauth.AuthorizationServer,
  method: RequestConfig["auth_method"],
  hasKey: boolean,
): RequestConfig | undefined {
  if (server.revocation_endpoint === undefined) return undefined;
  // Its own list (RFC 8414, section 2); most providers leave it out and mean that of the token endpoint.
  const methods = server.revocation_endpoint_auth_methods_supported;
  const auth_method = methods === undefined ? method : authMethod(hasKey, methods);
  return {
    endpoint: server.revocation_endpoint,
    params: { token: "{{refresh_token}}" },
    ...(auth_method === undefined ? {} : { auth_method }),
  };
}

async function metadata(core: Core, projectId: string, issuer: string): Promise<oauth.AuthorizationServer> {
  if (URL.parse(issuer) === null) throw refused("must be an absolute address");
  const get = (address: string) =>
    core.egress.fetch(address, {
      group: "auth_provider",
      project: projectId,
      headers: { accept: "application/json" },
      maxBytes: 1_000_000,
    });
  try {
    const found = await loadMetadata(issuer, get, (server) => isSameIssuer(server.issuer, issuer));
    return found.metadata;
  } catch (error) {
    if (error instanceof EgressError) throw refused(`its metadata cannot be fetched: ${error.message}`);
    throw refused("its metadata is not valid, or is that of another issuer");
  }
}

// A private key is used if there is one. Otherwise Basic is the default of the standard.
export function authMethod(hasKey: boolean, supported: readonly string[] | undefined) {
  const methods = supported ?? ["client_secret_basic"];
  const preferred = ["private_key_jwt", "client_secret_basic", "client_secret_post", "none"] as const;
  return preferred.find((method) => methods.includes(method) && (method !== "private_key_jwt" || hasKey));
}

function refused(reason: string): Error {
  const message = `failed to validate request body: oauth2.issuer: ${reason}`;
  return malformedRequest(message, {
    fieldErrors: [{ field: "oauth2.issuer", rule: "issuer", message: reason }],
  });
}
