// Requests to a token endpoint: code exchange (RFC 6749 section 4.1.3) and refresh (section 6). `oauth4webapi` builds the
// request and validates the answer; quirks of providers are handled in the fetch function that it gets.
import * as oauth from "oauth4webapi";
import { isObject, type Json, type JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { EgressError, type EgressRequest } from "../egress";
import { type ClientKeys, type PlaceholderValues, parseExpression, type Provider } from "../providers";
import { serverOfCallback, serverOfGrant, type TokenServer } from "./token-server";
import { withDetails } from "./extra-requests";
import { clientAuthentication } from "./client-authentication";
import { checkIdToken, withoutIdToken } from "./id-token";
import { type FilledRequest, fillRequest, type ProviderRequest, sendRequest } from "./provider-request";
import { RefusedGrantError } from "./refused-grant";
import { readTokenAnswer, splitScopes, type TokenAnswer, TokenRequestError } from "./token-answer";

/** The tokens and scopes that a provider granted. */
export interface TokenGrant {
  accessToken: Redacted;
  refreshToken: Redacted | undefined;
  /** Seconds; undefined if unknown. */
  expiresIn: number | undefined;
  /** Undefined: as requested (RFC 6749 section 5.1). */
  scopes: string[] | undefined;
  facts: JsonObject;
  /** The answer of the user info request, if there was one. */
  userInfo?: Json;
  /** The person, by the ID token of the answer. Not stored. */
  subject?: string;
}

/** Error codes of several platforms for a temporary failure, which says nothing about the grant. */
const TRANSIENT_ERRORS = [
  "temporarily_unavailable",
  "server_error",
  "slow_down",
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
];

export interface CodeExchange {
  /** The parameters of the callback. */
  parameters: URLSearchParams;
  state: string;
  verifier: string | undefined;
  /** Values of the scope placeholders in the templates. */
  values?: Pick<PlaceholderValues, "scopes" | "existing_scopes">;
}

/** Exchanges the code of a callback for tokens. Throws `TokenRequestError`, which is a `RefusedGrantError` if there is a grant. */
export async function exchangeCode(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  exchange: CodeExchange,
): Promise<TokenGrant> {
  const request = {
    provider,
    template: provider.oauth2.token,
    keys,
    values: exchange.values ?? {},
    server: namedServer(provider, exchange.parameters),
  };
  const { grant, fault } = await requestTokens(core, request, (issuer, client, auth, options) => {
    const answer = new URLSearchParams(exchange.parameters);
    // RFC 9207: the issuer in the callback must be the one of the record. If the record has none, the redirect address,
    // which differs per provider, prevents mix-up attacks (RFC 9700 section 4.4.2).
    if (provider.oauth2.issuer === undefined) answer.delete("iss");
    const parameters = validated(issuer, client, answer, exchange.state);
    const verifier = exchange.verifier ?? oauth.nopkce;
    return oauth.authorizationCodeGrantRequest(
      issuer,
      client,
      auth,
      parameters,
      provider.redirectUri,
      verifier,
      options,
    );
  });
  if (fault !== undefined)
    throw new RefusedGrantError(`The provider's ID token is not valid: ${fault}.`, grant);
  return withDetails(core, provider, keys, grant, "on_token_grant");
}

/** The template of the request is the provider's `refresh_request`. */
export interface TokenRefresh extends Omit<ProviderRequest, "server"> {
  refreshToken: Redacted;
  /** The facts of the grant. */
  facts: JsonObject;
  /** Called just before the request is sent. If it throws `TokenRequestError`, nothing is sent. */
  fence?: EgressRequest["fence"];
}

/** Exchanges a refresh token for new tokens. Throws `TokenRequestError`. */
export async function refreshTokens(core: Core, refresh: TokenRefresh): Promise<TokenGrant> {
  const { provider, facts } = refresh;
  const refresh_token = refresh.refreshToken.reveal();
  const values = { ...refresh.values, refresh_token };
  const request = { ...refresh, values, server: serverOfGrant(provider.oauth2, facts) };
  const { grant, fault } = await requestTokens(core, request, (issuer, client, auth, options) =>
    oauth.refreshTokenGrantRequest(issuer, client, auth, refresh_token, options),
  );
  // The tokens themselves are good, and the provider has replaced the earlier ones.
  if (fault !== undefined)
    core.log.warn("the ID token of a refresh is ignored", { provider: provider.id, fault });
  return grant;
}

function validated(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    // The library takes an empty value for an absent one.
    if (answer.getAll("iss").some((issuer) => issuer !== server.issuer)) throw new Error("another issuer");
    return oauth.validateAuthResponse(server, client, answer, state);
  } catch (cause) {
    const message = "The callback is not a valid answer of this provider, or it comes from another issuer.";
    throw new TokenRequestError(message, { transient: false, cause });
  }
}

function namedServer(provider: Provider, parameters: URLSearchParams): TokenServer {
  try {
    return serverOfCallback(provider.oauth2, parameters);
  } catch (error) {
    const message = error instanceof RangeError ? error.message : "The callback cannot be read.";
    throw new TokenRequestError(message, { transient: false });
  }
}

type Send = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<Response>;

async function requestTokens(
  core: Core,
  unfilled: ProviderRequest & { server: TokenServer; fence?: EgressRequest["fence"] },
  send: Send,
): Promise<{ grant: TokenGrant; fault: string | undefined }> {
  const request = fillRequest(unfilled);
  const { provider, endpoint } = request;
  const issuer = provider.oauth2.issuer ?? new URL(endpoint).origin;
  const server = {
    issuer,
    token_endpoint: endpoint,
    authorization_response_iss_parameter_supported:
      provider.oauth2.issuer !== undefined && provider.oauth2.requiresIssuer === true,
  };
  const client = { client_id: provider.oauth2.clientId };
  let raw: Json = null;
  const options: oauth.TokenEndpointRequestOptions = {
    // The address policy of `egress` decides at each call whether plain http is allowed.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (_url, init) => {
      const answer = await call(core, request, init, unfilled.fence);
      if (answer.kind === "tokens") raw = answer.raw;
      return standardResponse(answer);
    },
  };
  try {
    const auth = await clientAuthentication(request);
    const response = await send(server, client, auth, options);
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    const { subject, fault } = checkIdToken(raw, provider.oauth2, core.clock.now());
    const facts = {
      ...factsOf(provider, fault === undefined ? raw : withoutIdToken(raw)),
      ...unfilled.server.facts,
    };
    return { grant: { ...grantOf(tokens, facts), ...(subject === undefined ? {} : { subject }) }, fault };
  } catch (error) {
    throw tokenRequestError(error, unfilled);
  }
}

/** Sends the request of `oauth4webapi` in the format of the provider's template. */
async function call(
  core: Core,
  request: FilledRequest,
  init: oauth.CustomFetchOptions<"POST", URLSearchParams>,
  fence: EgressRequest["fence"],
): Promise<TokenAnswer> {
  const credentials = { authorization: init.headers["authorization"], body: new URLSearchParams(init.body) };
  const response = await sendRequest(core, request, credentials, { method: "POST", fence });
  const contentType = response.headers.get("content-type") ?? "";
  const answer = { status: response.status, contentType, body: await response.text() };
  return readTokenAnswer(answer, request.template.response_map ?? {}, request.provider.oauth2.tokenTypes);
}

function standardResponse(answer: TokenAnswer): Response {
  if (answer.kind === "tokens") return Response.json(answer.tokens);
  if (answer.kind === "unreadable") {
    const message = `The provider's token endpoint gave no usable answer (HTTP ${answer.status}).`;
    throw new TokenRequestError(message, { transient: true });
  }
  return Response.json({ error: answer.error, error_description: answer.description }, { status: 400 });
}

function grantOf(tokens: oauth.TokenEndpointResponse, facts: JsonObject): TokenGrant {
  return {
    accessToken: new Redacted(tokens.access_token),
    refreshToken: tokens.refresh_token === undefined ? undefined : new Redacted(tokens.refresh_token),
    expiresIn: tokens.expires_in,
    scopes: tokens.scope === undefined ? undefined : splitScopes(tokens.scope),
    facts,
  };
}

function factsOf(provider: Provider, raw: Json): JsonObject {
  const facts: JsonObject = {};
  for (const [name, path] of Object.entries(provider.oauth2.facts)) {
    const value = parseExpression(path)(raw);
    if (value !== undefined && value !== null) facts[name] = value;
  }
  return facts;
}

function refusedToken(code: string, { provider, server }: ProviderRequest): TokenRequestError {
  const { token, tokenThrottle, tokenServers, worker } = provider.oauth2;
  if (tokenThrottle?.errors.includes(code) === true) return throttled(code, tokenThrottle.waitMs);
  const isOther = server?.origin !== undefined && server.origin !== URL.parse(token.endpoint)?.origin;
  const clientRefused = CLIENT_REFUSED.includes(code);
  const advice = !clientRefused ? undefined : isOther ? tokenServers?.clientRefused : registerAgain(worker);
  const message = `The provider refused the token request: ${code}.`;
  return new TokenRequestError(advice === undefined ? message : `${message} ${advice}`, {
    code,
    transient: TRANSIENT_ERRORS.includes(code),
  });
}

const CLIENT_REFUSED = ["invalid_client", "invalid_client_secret"];

/** Authorization servers forget clients that were registered with them. */
function registerAgain(worker: string | undefined): string | undefined {
  if (worker === undefined) return undefined;
  return `It does not know the client of the worker "${worker}" any more. An administrator must register again.`;
}

/** The provider counts the requests of each grant, and requests before the end of the wait prolong it. */
export function throttled(code: string, waitMs: number): TokenRequestError {
  const minutes = Math.ceil(waitMs / 60_000);
  const message =
    `The provider refuses further token requests for a while (${code}). Try again in about ` +
    `${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
  return new TokenRequestError(message, { code, transient: true, retryAfterMs: waitMs });
}

// Users and the log may see the message: it contains the provider's error code, never its description or the answer.
function tokenRequestError(error: unknown, request: ProviderRequest): TokenRequestError {
  if (error instanceof TokenRequestError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const code = /^[\w.: -]{1,60}$/.test(error.error) ? error.error : "an unreadable error";
    return refusedToken(code, request);
  }
  if (error instanceof EgressError) {
    return new TokenRequestError(`The provider's token endpoint could not be reached. ${error.message}`, {
      transient: error.reason !== "address_refused",
      cause: error,
    });
  }
  const code = isObject(error) && typeof error["code"] === "string" ? error["code"] : "unknown";
  return new TokenRequestError(`The provider's token answer is not valid (${code}).`, { transient: false });
}
