// `POST /oauth/v2/token` and `/oauth/v2/token/revoke`: form in, JSON out, errors under HTTP 200.
import type { Arrival } from "../server";
import type { Location } from "../types";
import type { Codes } from "./codes";
import { OAuthRefusal } from "./refusal";
import { LIFETIME_S, type TokenStore } from "./tokens";

export interface TokenEndpoint {
  readonly location: Location;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The API's base address for this user in answers. */
  readonly apiDomain: string;
  readonly codes: Codes;
  readonly tokens: TokenStore;
  /** Whether answers name the scopes; the platform does not always. */
  readonly tellsScopes: boolean;
  /** Whether answers to a refresh repeat the API's base. */
  readonly repeatsDomain: boolean;
}

type TokenBody = Record<string, string | number>;

/** The body of a successful answer. Throws `OAuthRefusal`. */
export function tokenAnswer(endpoint: TokenEndpoint, arrival: Arrival): TokenBody {
  const form = formOf(arrival);
  // Credentials are read from the body only, not from headers or the address.
  if (form.get("client_id") !== endpoint.clientId) throw new OAuthRefusal("invalid_client");
  if (form.get("client_secret") !== endpoint.clientSecret) throw new OAuthRefusal("invalid_client_secret");
  const grantType = form.get("grant_type");
  if (grantType === "authorization_code") return exchange(endpoint, form);
  if (grantType === "refresh_token") return refresh(endpoint, form);
  throw new OAuthRefusal("invalid_grant_type");
}

/** Revokes the grant of a refresh token. Throws `OAuthRefusal`. */
export function revokeAnswer(endpoint: TokenEndpoint, arrival: Arrival): TokenBody {
  const token = formOf(arrival).get("token") ?? "";
  if (!endpoint.tokens.revoke(token, endpoint.location)) throw new OAuthRefusal("invalid_token");
  return { status: "success" };
}

/** Whether a token request is a refresh, for the request log. */
export function isRefresh(arrival: Arrival): boolean {
  return new URLSearchParams(arrival.body).get("grant_type") === "refresh_token";
}

function formOf({ headers, body }: Arrival): URLSearchParams {
  const type = headers["content-type"] ?? "";
  if (!type.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    throw new OAuthRefusal("invalid_content_type");
  }
  return new URLSearchParams(body);
}

function exchange(endpoint: TokenEndpoint, form: URLSearchParams): TokenBody {
  const { codes, tokens, location } = endpoint;
  const consent = codes.redeem(form.get("code") ?? "", form.get("redirect_uri") ?? "", location);
  const { person, scopes } = consent;
  if (!consent.withRefresh) return answer(endpoint, tokens.online(person, scopes).token, scopes);
  const [grant, access] = tokens.grant(person, scopes);
  return { ...answer(endpoint, access.token, scopes), refresh_token: grant.refreshToken };
}

/** Never a new refresh token. */
function refresh(endpoint: TokenEndpoint, form: URLSearchParams): TokenBody {
  const [grant, access] = endpoint.tokens.refresh(form.get("refresh_token") ?? "", endpoint.location);
  return answer(endpoint, access.token, grant.scopes, endpoint.repeatsDomain);
}

function answer(
  endpoint: TokenEndpoint,
  token: string,
  scopes: readonly string[],
  withDomain = true,
): TokenBody {
  return {
    access_token: token,
    ...(endpoint.tellsScopes ? { scope: scopes.join(" ") } : {}),
    ...(withDomain ? { api_domain: endpoint.apiDomain } : {}),
    token_type: "Bearer",
    expires_in: LIFETIME_S,
  };
}
