// Records of auth providers as clients send and read them.
import { type Static, Type } from "typebox";
import { isObject } from "../base";
import { ApiKeyConfig, ApiKeyPatch } from "./api-key-schema";
import { BindingResponse, CHOSEN_ID, ChosenId, SecretResponse } from "../identity/schema";

/** Checked with a better error by the rules of providers. */
const ADDRESS = { format: "uri" };
const endpoint = Type.String({ minLength: 1, maxLength: 1000 });
const contentType = Type.Enum(["application/x-www-form-urlencoded", "application/json"]);
// The default pattern does not match a name with a line break, so its value would not be checked.
const freeMap = Type.Record(Type.String({ pattern: "^[\\s\\S]{1,200}$" }), Type.String({ maxLength: 4000 }), {
  additionalProperties: false,
  // Each value is a template that is filled in for every consent and every token request.
  maxProperties: 50,
});

/** What users give: a consent, or a key of their own. */
export const PROVIDER_TYPES = ["oauth2", "api_key"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export const AUTH_METHODS = [
  "",
  "none",
  "client_secret_post",
  "client_secret_basic",
  "client_secret_basic_raw",
  "private_key_jwt",
  "bearer_access_token",
] as const;

const requestConfig = {
  endpoint,
  method: Type.Optional(Type.Enum(["GET", "POST"])),
  auth_method: Type.Optional(Type.Enum([...AUTH_METHODS])),
  auth_header_value_format: Type.Optional(Type.String({ maxLength: 200 })),
  params: Type.Optional(freeMap),
  request_content_type: Type.Optional(contentType),
  response_content_type: Type.Optional(contentType),
  response_map: Type.Optional(freeMap),
};
const triggers = Type.Object({ on_token_grant: Type.Boolean(), on_token_refresh: Type.Boolean() });
// Clients leave out what is off; the record always has both.
const givenTriggers = Type.Object({
  on_token_grant: Type.Optional(Type.Boolean({ default: false })),
  on_token_refresh: Type.Optional(Type.Boolean({ default: false })),
});
const expirationFormat = Type.Optional(Type.Enum(["absolute_unix_timestamp", "relative_seconds"]));

export const RequestConfig = Type.Object({ ...requestConfig, expiration_format: expirationFormat });
export const TriggeredRequestConfig = Type.Object({
  ...requestConfig,
  triggers,
  expiration_format: expirationFormat,
  enabled: Type.Optional(Type.Boolean()),
});

const GivenTriggeredRequest = Type.Object({
  ...TriggeredRequestConfig.properties,
  triggers: givenTriggers,
});

const Pkce = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  code_challenge_method: Type.Optional(Type.Enum(["S256"])),
});

const requests = {
  authorize_request: Type.Optional(RequestConfig),
  token_request: Type.Optional(RequestConfig),
  refresh_request: Type.Optional(RequestConfig),
  user_info_request: Type.Optional(TriggeredRequestConfig),
  token_introspection_request: Type.Optional(TriggeredRequestConfig),
  revoke_request: Type.Optional(RequestConfig),
};
const common = {
  issuer: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "OpenID issuer; fills the requests that are not given.",
      shown: ADDRESS,
    }),
  ),
  authorization_response_iss_parameter_supported: Type.Optional(
    Type.Boolean({ description: "Callbacks must name the issuer (RFC 9207); filled from the issuer." }),
  ),
  resource: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "The server that the tokens are for; sent in authorization, token and refresh requests (RFC 8707). Empty: not sent.",
    }),
  ),
  default_scopes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: 200,
      description: "Requested in every consent. A consent does not fail if they are not granted.",
    }),
  ),
  scope_delimiter: Type.Optional(Type.Enum([",", " "])),
  pkce: Type.Optional(Pkce),
};
const clientId = Type.String({ minLength: 1, maxLength: 1000 });
const clientSecret = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));

const privateKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: "PEM or JWK; write-only, for private_key_jwt.",
  }),
);

export const OAuth2Create = Type.Object({
  client_id: clientId,
  client_secret: clientSecret,
  private_key: privateKey,
  ...common,
  ...requests,
  user_info_request: Type.Optional(GivenTriggeredRequest),
  token_introspection_request: Type.Optional(GivenTriggeredRequest),
});
const triggeredPatch = Type.Partial(
  Type.Object({ ...TriggeredRequestConfig.properties, triggers: Type.Partial(triggers) }),
);
export const OAuth2Patch = Type.Object({
  client_id: Type.Optional(clientId),
  client_secret: clientSecret,
  private_key: privateKey,
  ...common,
  authorize_request: Type.Optional(Type.Partial(RequestConfig)),
  token_request: Type.Optional(Type.Partial(RequestConfig)),
  refresh_request: Type.Optional(Type.Partial(RequestConfig)),
  user_info_request: Type.Optional(triggeredPatch),
  token_introspection_request: Type.Optional(triggeredPatch),
  revoke_request: Type.Optional(Type.Partial(RequestConfig)),
});

const descriptive = {
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  provider_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  type: Type.Optional(
    Type.Enum([...PROVIDER_TYPES], {
      description: "Whether users consent at the provider (oauth2), or enter a key of their own (api_key).",
    }),
  ),
  status: Type.Optional(Type.Enum(["active", "inactive"])),
};

export const AuthProviderCreateRequest = Type.Object({
  id: ChosenId,
  ...descriptive,
  external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 50, pattern: CHOSEN_ID })),
  oauth2: Type.Optional(OAuth2Create),
  api_key: Type.Optional(ApiKeyConfig),
});

export const AuthProviderPatchRequest = Type.Object({
  id: Type.Optional(ChosenId),
  ...descriptive,
  oauth2: Type.Optional(OAuth2Patch),
  api_key: Type.Optional(ApiKeyPatch),
});

const time = Type.String({ format: "date-time" });

export const AuthProviderResponse = Type.Object({
  id: ChosenId,
  provider_id: Type.Optional(Type.String()),
  type: Type.Enum([...PROVIDER_TYPES]),
  status: Type.Enum(["active", "inactive"]),
  description: Type.Optional(Type.String()),
  binding: BindingResponse,
  created_at: time,
  updated_at: time,
  oauth2: Type.Optional(
    Type.Object({
      client_id: Type.String(),
      client_secret: SecretResponse,
      private_key: Type.Optional(SecretResponse),
      redirect_uri: Type.String({
        shown: ADDRESS,
        description: "The redirect address to register at the provider.",
      }),
      worker: Type.Optional(
        Type.String({ description: "The worker that it was created for, and is deleted with." }),
      ),
      ...common,
      ...requests,
    }),
  ),
  api_key: Type.Optional(ApiKeyConfig),
});

/** What to enter in the console of a well-known platform. */
export const ProviderSetupResponse = Type.Object({
  provider_id: Type.String(),
  redirect_uri: Type.String({
    description: "The redirect address to register at the platform, exactly as it is.",
  }),
  external_id: Type.String({
    description: "Part of the redirect address. Send it when you create the record to keep the address.",
  }),
  exists: Type.Boolean({
    description: "Whether a record exists already; redirect_uri is then that of the record.",
  }),
  scopes: Type.Array(Type.String(), { description: "All scopes that the tools of this platform need." }),
  console: Type.String(),
  steps: Type.Array(Type.String()),
  warnings: Type.Array(Type.String(), { description: "Settings that the platform will refuse." }),
});

export type ProviderSetup = Static<typeof ProviderSetupResponse>;
export type RequestConfig = Static<typeof RequestConfig>;
export type TriggeredRequestConfig = Static<typeof TriggeredRequestConfig>;
/** The record's `oauth2` as clients send it, without secrets. */
export type GivenOAuth2 = Omit<Static<typeof OAuth2Create>, "client_secret" | "private_key">;
/** The record's `oauth2` as it is stored, without secrets. */
export type OAuth2Config = Omit<GivenOAuth2, TriggeredName> & {
  [N in TriggeredName]?: TriggeredRequestConfig;
} & {
  /** Set by this server only. */
  worker?: string;
};
type TriggeredName = "user_info_request" | "token_introspection_request";

const TRIGGERED: readonly string[] = ["user_info_request", "token_introspection_request"];

/** The record with both triggers of each request; those that were not given are off. Keeps the order of all fields. */
export function withTriggers(oauth2: { readonly [field: string]: unknown }): OAuth2Config {
  const fields = Object.entries(oauth2).map(([name, value]) => [
    name,
    TRIGGERED.includes(name) && isObject(value) ? completed(value) : value,
  ]);
  // Only triggers were added, which the record has and requests may lack.
  return Object.fromEntries(fields) as OAuth2Config;
}

function completed(request: { readonly [field: string]: unknown }): object {
  const { triggers: given } = request;
  if (!isObject(given)) return request;
  const { on_token_grant = false, on_token_refresh = false } = given;
  return { ...request, triggers: { ...given, on_token_grant, on_token_refresh } };
}
export type AuthProviderCreate = Static<typeof AuthProviderCreateRequest>;
/** Of the type `oauth2`. */
export type OAuth2ProviderCreate = AuthProviderCreate & Required<Pick<AuthProviderCreate, "oauth2">>;
export type AuthProviderPatch = Static<typeof AuthProviderPatchRequest>;
export type AuthProvider = Static<typeof AuthProviderResponse>;
