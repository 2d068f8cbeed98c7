// OpenID Connect Discovery: what an issuer says of itself fills the requests of a record that does not state them.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { EgressError } from "../egress";
import { malformedRequest } from "../errors";
import { addressFault } from "./address";
import type { OAuth2Config } from "./schema";

/**
 * The record with the endpoints of its issuer; without an issuer, or with all requests stated, the record itself.
 * Throws `malformed_request` naming `oauth2.issuer` when its metadata cannot be had or is not its own.
 */
export async function discovered(core: Core, own: OAuth2Config, hasKey: boolean): Promise<OAuth2Config> {
  if (own.issuer === undefined || (own.authorize_request !== undefined && own.token_request !== undefined)) {
    return own;
  }
  const malformed = addressFault(own.issuer);
  if (malformed !== undefined) throw refused(malformed);
  const server = await metadata(core, own.issuer);
  const { authorization_endpoint: authorize, token_endpoint: token } = server;
  if (authorize === undefined || token === undefined) {
    throw refused("its metadata names no authorization and token endpoint");
  }
  const auth_method = authMethod(hasKey, server.token_endpoint_auth_methods_supported);
  const authentication = auth_method === undefined ? {} : { auth_method };
  const tokenRequest = own.token_request ?? { endpoint: token, ...authentication };
  const { endpoint, auth_method: method } = tokenRequest;
  const asAtToken = method === undefined ? {} : { auth_method: method };
  return {
    ...own,
    // As it calls itself: callbacks name it so (RFC 9207), to the letter.
    issuer: server.issuer,
    ...(server.authorization_response_iss_parameter_supported === true
      ? { authorization_response_iss_parameter_supported: true }
      : {}),
    authorize_request: own.authorize_request ?? { endpoint: authorize },
    token_request: tokenRequest,
    refresh_request: own.refresh_request ?? { endpoint, ...asAtToken },
    ...(own.revoke_request === undefined && server.revocation_endpoint !== undefined
      ? {
          revoke_request: {
            endpoint: server.revocation_endpoint,
            params: { token: "{{refresh_token}}" },
            ...asAtToken,
          },
        }
      : {}),
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

async function metadata(core: Core, issuer: string): Promise<oauth.AuthorizationServer> {
  const url = URL.parse(issuer);
  if (url === null) throw refused("it is no address");
  try {
    const response = await oauth.discoveryRequest(url, {
      // Whether plain http may be used is the address policy's decision, made at every call by `egress`.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (address) =>
        core.egress.fetch(address, { headers: { accept: "application/json" }, maxBytes: 1_000_000 }),
    });
    return await oauth.processDiscoveryResponse(url, response);
  } catch (error) {
    if (error instanceof EgressError) throw refused(`its metadata cannot be fetched: ${error.message}`);
    throw refused("its metadata is not valid, or is that of another issuer");
  }
}

// A client that has a key uses it; else what the issuer takes, Basic first as the standard wants it.
function authMethod(hasKey: boolean, supported: readonly string[] | undefined) {
  const methods = supported ?? ["client_secret_basic"];
  const wanted = ["private_key_jwt", "client_secret_basic", "client_secret_post", "none"] as const;
  return wanted.find((method) => methods.includes(method) && (method !== "private_key_jwt" || hasKey));
}

function refused(why: string): Error {
  const message = `failed to validate request body: oauth2.issuer: ${why}`;
  return malformedRequest(message, {
    fieldErrors: [{ field: "oauth2.issuer", rule: "issuer", message: why }],
  });
}
