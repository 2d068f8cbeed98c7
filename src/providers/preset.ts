// The format of presets.
import type { JsonObject } from "../base";

/** Defaults for records with the `provider_id` of a well-known provider. Presets are data in `catalogs`. */
export interface ProviderPreset {
  id: string;
  /** The platform's name, for people. Default: the first part of the description. */
  name?: string;
  description: string;
  /** Id of another preset whose tools this one serves, too: the same platform with other servers. */
  variantOf?: string;
  oauth2: JsonObject;
  /** Facts to store from a token response: name → JSON path. Tools get them as `grant.facts`. */
  facts?: Readonly<Record<string, string>>;
  /** Facts that together identify the account at the provider. */
  account?: readonly string[];
  /** Other names of scopes → the names in grants. */
  scopeAliases?: Readonly<Record<string, string>>;
  /** Values of `token_type` that mean a bearer token, besides `Bearer`. */
  tokenTypes?: readonly string[];
  /** What scopes allow, for the person who consents: scope → words such as "Send messages as you". */
  scopeWords?: Readonly<Record<string, string>>;
  /** What an operator does in the platform's console. */
  setup?: ProviderSetupSteps;
  /** Revocation request, in the shape of a record's requests. */
  revoke?: JsonObject;
  /** Whether a revocation ends one grant. Default: it may end all grants of the account. */
  revokesSingleGrant?: boolean;
  /** For a provider that has several token servers, each with the grants of some users. */
  tokenServers?: TokenServers;
  tokenThrottle?: TokenThrottle;
  /** What error codes of a callback mean at this provider, as the reason of a failed authorization. */
  callbackErrors?: Readonly<Record<string, string>>;
}

/**
 * Error codes of the token endpoint for too many requests with one grant. They pass after a wait, which further requests
 * prolong: none is sent for that grant until it is over.
 */
export interface TokenThrottle {
  errors: readonly string[];
  waitMs: number;
}

export interface ProviderSetupSteps {
  /** Address of the platform's console. */
  console: string;
  steps: readonly string[];
  /** Which plain http redirect addresses the platform refuses. */
  refusesHttp: "always" | "except_loopback";
}

/**
 * The callback contains the origin of the server with the user's grant, for example that of the user's data center. The
 * code exchange and every refresh go to that server, on the path of the endpoint. The client's secret is sent to known
 * origins only.
 */
export interface TokenServers {
  /** Callback parameter with the origin. Without it, the endpoints are used unchanged. */
  parameter: string;
  /** Name of the fact that stores the origin. */
  fact: string;
  /** Allowed origins in addition to that of the endpoint. */
  origins: readonly string[];
  /** Name of a setting with more origins. */
  setting?: string;
  /** What an administrator does if another server than that of the endpoint refuses the client. */
  clientRefused?: string;
}

/** The platform's name, for people. */
export function nameOf(preset: ProviderPreset | undefined): string | undefined {
  return preset?.name ?? preset?.description.split(",")[0];
}
