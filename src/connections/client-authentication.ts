// How this client shows an endpoint of the provider who it is. Credentials go in the header or in the body, never both
// (RFC 6749 section 2.3); a template that places the secret itself does it alone.
import * as oauth from "oauth4webapi";
import { fill } from "../providers";
import { type FilledRequest, placesSecret } from "./provider-request";
import { signedAssertion } from "./signed-assertion";
import { TokenRequestError } from "./token-request-error";

/**
 * The authentication that a request's record asks for. Throws `TokenRequestError` when the key that it needs is
 * missing or cannot sign: nothing else is sent in its place.
 */
export async function clientAuthentication(request: FilledRequest): Promise<oauth.ClientAuth> {
  const { provider, template, keys, values, endpoint } = request;
  const { secret, privateKey } = keys;
  const { auth_method: method, auth_header_value_format: format } = template;
  if (method === "private_key_jwt") {
    if (privateKey === undefined) {
      const message =
        "The auth provider's record asks for private_key_jwt, but has no oauth2.private_key. Add it with a PATCH.";
      throw new TokenRequestError(message, { transient: false });
    }
    return signedAssertion(privateKey, provider.oauth2.issuer ?? endpoint);
  }
  if (format !== undefined) return headerOf(fill(format, values));
  if (secret === undefined || method === "none") return oauth.None();
  if (method === "client_secret_basic") return oauth.ClientSecretBasic(secret);
  if (method === "client_secret_basic_raw") {
    return headerOf(`Basic ${Buffer.from(`${provider.oauth2.clientId}:${secret}`).toString("base64")}`);
  }
  const templates = [template.endpoint, ...Object.values(template.params ?? {})];
  return templates.some(placesSecret) ? oauth.None() : oauth.ClientSecretPost(secret);
}

function headerOf(value: string): oauth.ClientAuth {
  return (_server, _client, _body, headers) => headers.set("authorization", value);
}
