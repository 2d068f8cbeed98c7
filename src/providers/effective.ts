// A record and its preset together: what is really sent. A record may override any field of any request.
import type { ProviderPreset, TokenServers } from "./preset";
import type { OAuth2Config, RequestConfig, TriggeredRequestConfig } from "./schema";

/** Everything that a consent and a refresh need to know about a provider, the client's secret apart. */
export interface EffectiveOAuth2 {
  clientId: string;
  scopeDelimiter: "," | " ";
  /** Code challenge method S256, or none. */
  pkce: boolean;
  authorize: RequestConfig;
  token: RequestConfig;
  refresh: RequestConfig | undefined;
  userInfo: TriggeredRequestConfig | undefined;
  introspection?: TriggeredRequestConfig | undefined;
  revoke?: RequestConfig | undefined;
  /** Whether ending one grant of an account leaves its others alive. */
  revokesAlone?: boolean;
  /** What callbacks must name as their issuer when they name one (RFC 9207). */
  issuer?: string | undefined;
  /** Whether they must name one. */
  namesIssuer?: boolean;
  scopeAliases?: Readonly<Record<string, string>>;
  /** Fact name → path into the token answer. */
  facts: Readonly<Record<string, string>>;
  /** Facts that together name the account at the provider. */
  account: readonly string[];
  /** Servers on which grants may lie, the endpoint's own among the origins. */
  tokenServers?: TokenServers | undefined;
}

const AUTHORIZE_PARAMS = {
  response_type: "code",
  client_id: "{{client_id}}",
  redirect_uri: "{{redirect_uri}}",
  scope: "{{scopes}}",
};
const TOKEN_PARAMS = { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" };
const REFRESH_PARAMS = { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" };

// Of a provider that nobody knows better: whom its ID token names, when it gives one.
const OPENID_FACTS = { user_id: "jwt_decode('$.id_token','$.sub')" };

/** Throws nothing: a record that passed `checkOAuth2` always has the two requests that are needed. */
export function effectiveOAuth2(
  own: OAuth2Config,
  preset: ProviderPreset | undefined,
  settings: Readonly<Record<string, unknown>> = {},
): EffectiveOAuth2 {
  // Presets are written in the record's own shape; a test of each catalog checks them against the schema.
  const base = (preset?.oauth2 ?? {}) as Partial<OAuth2Config>;
  const token = withParams(merge(base.token_request, own.token_request), TOKEN_PARAMS);
  const refresh = merge(base.refresh_request, own.refresh_request);
  return {
    clientId: own.client_id,
    scopeDelimiter: own.scope_delimiter ?? base.scope_delimiter ?? " ",
    pkce: own.pkce?.enabled ?? base.pkce?.enabled ?? true,
    authorize: withParams(merge(base.authorize_request, own.authorize_request), AUTHORIZE_PARAMS),
    token,
    refresh: refresh === undefined ? undefined : withParams(refresh, REFRESH_PARAMS),
    userInfo: merge(base.user_info_request, own.user_info_request),
    introspection: introspectionOf(merge(base.token_introspection_request, own.token_introspection_request)),
    // Presets state it in the shape of a request; a test of each catalog checks them.
    revoke:
      own.revoke_request ??
      beside(preset?.revoke as RequestConfig | undefined, base.token_request?.endpoint, token.endpoint),
    revokesAlone: preset?.revokesAlone ?? false,
    issuer: own.issuer,
    namesIssuer: own.authorization_response_iss_parameter_supported ?? false,
    scopeAliases: preset?.scopeAliases ?? {},
    facts: preset?.facts ?? OPENID_FACTS,
    account: preset?.account ?? Object.keys(OPENID_FACTS),
    tokenServers: tokenServersOf(preset?.tokenServers, token.endpoint, settings),
  };
}

/**
 * A grant is ended where it was made: a record that has its tokens from elsewhere (a relay) goes there for this too,
 * below the same path when the platform's own paths begin only there.
 */
function beside(
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

function tokenServersOf(
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

// RFC 7662 section 2.1: without the token there is nothing to ask about.
function introspectionOf(request: TriggeredRequestConfig | undefined): TriggeredRequestConfig | undefined {
  return request === undefined ? undefined : { params: { token: "{{access_token}}" }, ...request };
}

function withParams(request: RequestConfig | undefined, params: Record<string, string>): RequestConfig {
  return { ...request, endpoint: request?.endpoint ?? "", params: request?.params ?? params };
}
