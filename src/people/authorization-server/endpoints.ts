// The addresses of the authorization server, and the metadata that names them (RFC 8414).
import { GATEWAY_SCOPE, OFFLINE_SCOPE } from "./terms";

/** Paths below `public_url`. */
export const PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  device: "/oauth/device",
  pushed: "/oauth/par",
  keys: "/oauth/jwks",
  interaction: "/oauth/interaction",
  userCode: "/device",
} as const;

export const METADATA_PATH = "/.well-known/oauth-authorization-server";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const GRANT_TYPES = ["authorization_code", "refresh_token", DEVICE_GRANT] as const;
/** `none`: public clients. Secrets are for clients that ask for one when they register. */
export const CLIENT_AUTHENTICATION = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
] as const;
/** Of assertions of clients (RFC 7523). */
export const ASSERTION_ALGORITHMS = ["ES256", "RS256", "PS256", "EdDSA"] as const;

/** `issuer`: `public_url`. */
export function serverMetadata(issuer: string): object {
  const at = (path: string): string => issuer + path;
  return {
    issuer,
    authorization_endpoint: at(PATHS.authorize),
    token_endpoint: at(PATHS.token),
    registration_endpoint: at(PATHS.register),
    revocation_endpoint: at(PATHS.revoke),
    device_authorization_endpoint: at(PATHS.device),
    pushed_authorization_request_endpoint: at(PATHS.pushed),
    jwks_uri: at(PATHS.keys),
    scopes_supported: [GATEWAY_SCOPE, OFFLINE_SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
