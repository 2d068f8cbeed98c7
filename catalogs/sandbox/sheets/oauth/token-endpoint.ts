// The token endpoint and the revocation endpoint (RFC 6749 sections 4.1.3 and 6, RFC 7009).
import type { JsonRecord } from "../../chat/json";
import type { Codes } from "./codes";
import type { IdTokens } from "./id-token";
import { TokenError, tokenError } from "./token-error";
import type { TokenSet, TokenStore } from "./tokens";

export interface TokenEndpoint {
  readonly clients: ReadonlyMap<string, string>;
  readonly codes: Codes;
  readonly tokens: TokenStore;
  readonly idTokens: IdTokens;
}

/** Answers a token request. Client credentials are in the form or in a Basic header, not in both. */
export async function answerToken(endpoint: TokenEndpoint, request: Request, form: URLSearchParams) {
  try {
    requireForm(request);
    const clientId = clientOf(endpoint, request, form);
    const grantType = form.get("grant_type");
    if (grantType === "refresh_token") {
      return success(endpoint, clientId, endpoint.tokens.refresh(form.get("refresh_token") ?? "", clientId));
    }
    if (grantType !== "authorization_code") {
      throw tokenError("unsupported_grant_type", `Invalid grant_type: ${grantType ?? ""}`);
    }
    const consent = endpoint.codes.redeem(
      form.get("code") ?? "",
      clientId,
      form.get("redirect_uri") ?? "",
      form.get("code_verifier"),
    );
    return success(endpoint, clientId, endpoint.tokens.issue(consent));
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return refused(error);
  }
}

/** Revokes the grant of a token. */
export function answerRevocation(tokens: TokenStore, request: Request, form: URLSearchParams): Response {
  try {
    requireForm(request);
    if (!tokens.revoke(form.get("token") ?? ""))
      throw tokenError("invalid_token", "Token expired or revoked");
    return Response.json({});
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return refused(error);
  }
}

async function success(endpoint: TokenEndpoint, clientId: string, set: TokenSet): Promise<Response> {
  const idToken = await endpoint.idTokens.issue(set.person, clientId, set.scopes);
  const body: JsonRecord = {
    access_token: set.accessToken,
    expires_in: set.expiresIn,
    ...(set.refreshToken === undefined ? {} : { refresh_token: set.refreshToken }),
    scope: set.scopes.join(" "),
    token_type: "Bearer",
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
  return Response.json(body, { headers: { "cache-control": "no-cache, no-store" } });
}

function refused({ error, message, status }: TokenError): Response {
  return Response.json({ error, error_description: message }, { status });
}

function requireForm(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (request.method !== "POST" || !type.startsWith("application/x-www-form-urlencoded")) {
    throw tokenError("invalid_request", "A form is expected.");
  }
  if (new URL(request.url).search !== "") throw tokenError("invalid_request", "Parameters in the address.");
}

function clientOf({ clients }: TokenEndpoint, request: Request, form: URLSearchParams): string {
  const header = request.headers.get("authorization");
  if (header !== null && form.has("client_secret"))
    throw tokenError("invalid_request", "Credentials are repeated.");
  const [id, secret] =
    header === null ? [form.get("client_id") ?? "", form.get("client_secret") ?? ""] : basicOf(header);
  const expected = clients.get(id);
  if (expected === undefined) throw tokenError("invalid_client", "The OAuth client was not found.");
  if (expected !== secret) throw tokenError("invalid_client", "The provided client secret is invalid.");
  return id;
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicOf(header: string): [string, string] {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header)?.[1] ?? "";
  const [id = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
  const decoded = (text: string): string =>
    new URLSearchParams(`v=${text.replaceAll("&", "%26")}`).get("v") ?? "";
  return [decoded(id), decoded(secret)];
}
