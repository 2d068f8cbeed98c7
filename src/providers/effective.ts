// A record merged with its preset. A record can override any field of any request.
import type { ApiKeyConfig } from "./api-key-schema";
import type { ProviderPreset, TokenServers, TokenThrottle } from "./preset";
import type { OAuth2Config, ProviderType, RequestConfig, TriggeredRequestConfig } from "./schema";

/** What a consent and a refresh need to know about a provider, without the client's secret. */
export interface EffectiveOAuth2 {
  clientId: string;
  scopeDelimiter: "," | " ";
  /** Whether S256 code challenges are sent. */
  pkce: boolean;
  authorize: RequestConfig;
  token: RequestConfig;
  refresh: RequestConfig | undefined;
  userInfo: TriggeredRequestConfig | undefined;
  introspection?: TriggeredRequestConfig | undefined;
  revoke?: RequestConfig | undefined;
  /** Whether a revocation ends one grant instead of all grants of the account. */
  revokesSingleGrant?: boolean;
  /** The only value of `iss` that callbacks may contain (RFC 9207). */
  issuer?: string | undefined;
  /** Whether callbacks must contain `iss`. */
  requiresIssuer?: boolean;
  /** Requested in every consent, in addition to those that are needed. */
  defaultScopes?: readonly string[];
  /** The worker that the provider was created for. */
  worker?: string | undefined;
  scopeAliases?: Readonly<Record<string, string>>;
  /** What the provider calls its bearer tokens, besides `Bearer`. */
  tokenTypes?: readonly string[];
  /** Name of a fact → path into the token response. */
  facts: Readonly<Record<string, string>>;
  /** Facts that together identify the account at the provider. */
  account: readonly string[];
  /** Servers that may hold grants, including that of the token endpoint. */
  tokenServers?: TokenServers | undefined;
  tokenThrottle?: TokenThrottle | undefined;
  callbackErrors?: Readonly<Record<string, string>> | undefined;
}

/** A provider as the services use it. */
export interface Provider {
  id: string;
  projectId: string;
  /** The well-known provider, if any. */
  providerId: string | undefined;
  /** The well-known provider whose tools it serves, too. */
  variantOf?: string | undefined;
  /** What people call the provider. */
  name?: string;
  /** What scopes allow, in words; only those that the preset knows. */
  scopeWords?: Readonly<Record<string, string>>;
  type: ProviderType;
  description: string | undefined;
  active: boolean;
  version: number;
  redirectUri: string;
  /** Without requests for a provider of the type `api_key`. */
  oauth2: EffectiveOAuth2;
  /** Of the type `api_key`: how users' own keys are asked for and checked. */
  apiKey?: ApiKeyConfig | undefined;
  /** The origins that the client's secrets and the users' tokens may be sent to. */
  origins: readonly string[];
  /** Identifies these origins. Grants with another id belong to earlier ones. */
  originsId: string;
  sealedClientSecret: string | null;
  sealedPrivateKey: string | null;
}

/** Parameters of an authorization request whose record has none. */
export const AUTHORIZE_PARAMS = {
  response_type: "code",
  client_id: "{{client_id}}",
  redirect_uri: "{{redirect_uri}}",
  scope: "{{scopes}}",
};
const TOKEN_PARAMS = { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" };
const REFRESH_PARAMS = { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" };

// Without a preset, the ID token identifies the account if there is one.
const OPENID_FACTS = { user_id: "jwt_decode('$.id_token','$.sub')" };

/** Nothing can be asked, refreshed or revoked. */
export const NO_OAUTH2: EffectiveOAuth2 = {
  clientId: "",
  scopeDelimiter: " ",
  pkce: false,
  authorize: { endpoint: "" },
  token: { endpoint: "" },
  refresh: undefined,
  userInfo: undefined,
  facts: {},
  account: [],
};

/** Merges a record that passed `checkOAuth2`, and therefore has both required requests, with its preset. */
export function effectiveOAuth2(
  own: OAuth2Config,
  preset: ProviderPreset | undefined,
  settings: Readonly<Record<string, unknown>> = {},
): EffectiveOAuth2 {
  // Presets have the shape of a record; the tests check each of them against the schema.
  const base = (preset?.oauth2 ?? {}) as Partial<OAuth2Config>;
  const resource: Record<string, string> =
    own.resource === undefined || own.resource === "" ? {} : { resource: own.resource };
  const token = withParams(merge(base.token_request, own.token_request), TOKEN_PARAMS, resource);
  const refresh = merge(base.refresh_request, own.refresh_request);
  return {
    clientId: own.client_id,
    scopeDelimiter: own.scope_delimiter ?? base.scope_delimiter ?? " ",
    pkce: own.pkce?.enabled ?? base.pkce?.enabled ?? true,
    authorize: withParams(merge(base.authorize_request, own.authorize_request), AUTHORIZE_PARAMS, resource),
    token,
    refresh: refresh === undefined ? undefined : withParams(refresh, REFRESH_PARAMS, resource),
    userInfo: merge(base.user_info_request, own.user_info_request),
    introspection: introspectionOf(merge(base.token_introspection_request, own.token_introspection_request)),
    revoke:
      own.revoke_request ??
      onTokenServer(
        preset?.revoke as RequestConfig | undefined,
        base.token_request?.endpoint,
        token.endpoint,
      ),
    revokesSingleGrant: preset?.revokesSingleGrant ?? false,
    issuer: own.issuer,
    requiresIssuer: own.authorization_response_iss_parameter_supported ?? false,
    defaultScopes: own.default_scopes ?? [],
    worker: own.worker,
    scopeAliases: preset?.scopeAliases ?? {},
    tokenTypes: preset?.tokenTypes ?? [],
    facts: preset?.facts ?? OPENID_FACTS,
    account: preset?.account ?? Object.keys(OPENID_FACTS),
    tokenServers: knownTokenServers(preset?.tokenServers, token.endpoint, settings),
    tokenThrottle: preset?.tokenThrottle,
    callbackErrors: preset?.callbackErrors,
  };
}

/**
 * Moves a preset's revocation to the server that issues the tokens, for a record that gets its tokens from a relay. A path
 * prefix of the relay's token endpoint is kept.
 */
function onTokenServer(
  request: RequestConfig | undefined,
  platformEndpoint: string | undefined,
  tokenEndpoint: string,
): RequestConfig | undefined {
  const [url, token] = [URL.parse(request?.endpoint ?? ""), URL.parse(tokenEndpoint)];
  if (request === undefined || url === null || token === null) return undefined;
  const path = URL.parse(platformEndpoint ?? "")?.pathname ?? "";
  const base = path !== "" && token.pathname.endsWith(path) ? token.pathname.slice(0, -path.length) : "";
  return { ...request, endpoint: token.origin + base + url.pathname };
}

function knownTokenServers(
  declared: TokenServers | undefined,
  endpoint: string,
  settings: Readonly<Record<string, unknown>>,
): TokenServers | undefined {
  if (declared === undefined) return undefined;
  const more = declared.setting === undefined ? [] : settings[declared.setting];
  const all = [endpoint, ...declared.origins, ...(Array.isArray(more) ? more : [])];
  const origins = all.map((address) => URL.parse(String(address))?.origin);
  return { ...declared, origins: origins.filter((origin) => origin !== undefined) };
}

function merge<T extends RequestConfig>(base: T | undefined, own: T | undefined): T | undefined {
  return base === undefined ? own : { ...base, ...own };
}

// RFC 7662 section 2.1: the token is required.
function introspectionOf(request: TriggeredRequestConfig | undefined): TriggeredRequestConfig | undefined {
  return request === undefined ? undefined : { params: { token: "{{access_token}}" }, ...request };
}

/** `more`: those that parameters of a record do not replace, unless it has them. */
function withParams(
  request: RequestConfig | undefined,
  params: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): RequestConfig {
  return {
    ...request,
    endpoint: request?.endpoint ?? "",
    params: { ...more, ...(request?.params ?? params) },
  };
}
