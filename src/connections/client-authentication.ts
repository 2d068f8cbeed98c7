// Client authentication at a provider's endpoints. Credentials go into the header or the body, never both (RFC 6749
// section 2.3). If the record's template contains the secret, nothing else is added.
import * as oauth from "oauth4webapi";
import { fill } from "../providers";
import { type FilledRequest, placesSecret } from "./provider-request";
import { signedAssertion } from "./signed-assertion";
import { TokenRequestError } from "./token-answer";

/**
 * The authentication method that the record of a request sets. Throws `TokenRequestError` if its key is missing or cannot
 * sign; there is no fallback.
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
  const { clientId } = provider.oauth2;
  if (method === "client_secret_basic") return basic(formEncoded(clientId), formEncoded(secret));
  if (method === "client_secret_basic_raw") return basic(clientId, secret);
  const templates = [template.endpoint, ...Object.values(template.params ?? {})];
  return templates.some(placesSecret) ? oauth.None() : oauth.ClientSecretPost(secret);
}

function basic(user: string, password: string): oauth.ClientAuth {
  return headerOf(`Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`);
}

/**
 * As RFC 6749, section 2.3.1 and appendix B, want it. The library also encodes `-`, `.` and `_`, which are plain in this
 * encoding: servers that do not decode would refuse most client ids.
 */
function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice("text=".length);
}

function headerOf(value: string): oauth.ClientAuth {
  return (_server, _client, _body, headers) => headers.set("authorization", value);
}
