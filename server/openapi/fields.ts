// What the fields of records and the parameters of operations mean, for those whose schema does not say it. One place,
// because most names mean the same in every record. A key is the end of a path, such as `pkce.enabled` or
// `HookResponse.binding.id`; the longest one that fits is taken.
import { MODEL_FIELDS } from "./fields-llm";
import { TOOL_FIELDS } from "./fields-tools";
import { WORKER_FIELDS } from "./fields-workers";

/** A description, or keywords that the document shows. */
export type Field =
  string | { readonly description: string; readonly format?: string; readonly pattern?: string };

const uri = (description: string): Field => ({ description, format: "uri" });

const COMMON: Readonly<Record<string, Field>> = {
  id: "Id of the record.",
  name: "Name for people.",
  description: "What it is for, for people.",
  type: "Kind of the record.",
  status: "An inactive one is not used.",
  version: "Grows by one with each change.",
  created_at: "When it was created.",
  updated_at: "When it was last changed.",
  created_by: "Who created it: `operator`, or `key:` and the id of the key.",
  updated_by: "Who changed it last: `operator`, or `key:` and the id of the key.",
  user_id: "The end user, by the id that your application has for the user. A user token names its own user.",
  binding: "Whom the record belongs to.",
  "BindingResponse.id": "Id of the project or organization.",
  "BindingResponse.type": "project, or tenant for the organization.",
  "HookResponse.binding.id": "Id of the project or organization.",
  "HookResponse.binding.type": "project, or tenant for the organization.",
  "SecretResponse.binding": "Whom the secret belongs to.",
  editable: "Whether a request can replace the secret.",
  exists: "Whether the secret is set. Its value is never shown.",
  items: "The records of this page.",
  total_count: "Number of records on all pages.",
  page_count: "Number of records on this page.",
  limit: "Page size that was used.",
  offset: "Number of records that were skipped.",
  "field_errors.message": "What is wrong with the field.",
  "Error.error.message": "The same as `message`.",
  "Error.error.type": "The kind of the error, as clients of language models read it.",
  "Error.error.code": "The same as `name`.",
  healthy: "Whether the service can work.",
  "HealthSchema.reason": "Why it cannot work.",
  dashboard: "Where users sign in.",
  clientId: "Client id for the sign-in of users; empty: none.",
  coordinatorUri: "Always empty: this server has no coordinator.",
  "EngineConfigResponse.oauth2": "Consents at auth providers.",
  servers: "Limits of this server.",
  openapi: "Version of OpenAPI.",
  info: "Title and version of the API.",
  title: "Title of the API.",
  "info.version": "Version of the API, not of the product.",
  paths: "The operations by path and method.",
};

const PROVIDERS: Readonly<Record<string, Field>> = {
  "AuthProviderCreateRequest.id": "Chosen by you; part of requirements and commands.",
  provider_id: "A well-known provider such as `github`, or the id of the record.",
  external_id: "Part of the redirect address. Chosen by the server if it is absent.",
  provider_type: "Kind of the provider.",
  oauth2: "Configuration for OAuth 2.0.",
  client_id: "Client id of your application at the provider.",
  client_secret: "Secret of your application at the provider; write-only.",
  "AuthProviderCreateRequest.api_key":
    "Instead of oauth2, for the type api_key: how users enter keys of their own.",
  "AuthProviderPatchRequest.api_key":
    "Fields of a provider of the type api_key; the list of addresses is replaced.",
  "AuthProviderResponse.api_key": "Instead of oauth2, for the type api_key.",
  "AuthProviderResponse.oauth2.client_secret": "Whether the secret is set.",
  "AuthProviderResponse.oauth2.private_key": "Whether the private key is set.",
  scope_delimiter: "Between the scopes of a request; a space by default.",
  pkce: "Proof key for code exchange (RFC 7636).",
  "pkce.enabled": "Whether consents use it.",
  code_challenge_method: "How the challenge is made from the verifier.",
  authorize_request: "The address to which the browser is sent, and its parameters.",
  token_request: "How a code is exchanged for tokens.",
  refresh_request: "How a token is refreshed.",
  user_info_request: "How the account of the user is found.",
  token_introspection_request: "How a token is inspected (RFC 7662).",
  revoke_request: "How a token is revoked (RFC 7009).",
  endpoint: "Address of the request; it may have placeholders.",
  method: "Method of the request.",
  auth_method: "How the client authenticates itself.",
  auth_header_value_format: "Value of the `Authorization` header, with placeholders.",
  params: "Parameters of the request, with placeholders.",
  request_content_type: "Form of the body that is sent.",
  response_content_type: "Form of the body that is expected.",
  response_map: "Where the fields of the answer are, as paths.",
  expiration_format: "How the answer states when a token expires.",
  triggers: "When the request is made.",
  on_token_grant: "After a consent.",
  on_token_refresh: "After a refresh.",
  "user_info_request.enabled": "Whether the request is made.",
  "token_introspection_request.enabled": "Whether the request is made.",
  "TriggeredRequestConfig.enabled": "Whether the request is made.",
};

const CONSENTS: Readonly<Record<string, Field>> = {
  auth_requirement: "The provider and scopes to which the user shall consent.",
  scopes: "OAuth scopes.",
  next_uri: uri("Where the browser is sent at the end."),
  "AuthorizationResponse.id": "Id of the consent, for `GET /v1/auth/status`.",
  "AuthorizationResponse.status": "State of the consent.",
  "AuthorizationResponse.scopes": "The scopes of the consent.",
  "AuthorizationResponse.url": uri("Where to send the user; only while pending."),
  status_reason: "Why it is in this state, or a warning.",
  context: "Facts about the account. Never a token.",
  user_info: "What the provider says about the user.",
  flow_id: "Id of the consent that the verifier was called for.",
  auth_id: "Id of the consent, for `GET /v1/auth/status`.",
  verifier_url: uri("Address of your verifier."),
  unsafe_skip_verification: "Complete consents without a check of the user.",
  connection_id: "Id of the connection.",
  connection_status: "Whether its token can be used.",
  provider_description: "Description of the auth provider.",
  provider_user_info: "What the provider says about the account.",
  "UserAuthProviderConnectionResponse.scopes": "The scopes that the user has consented to.",
};

const HOOKS: Readonly<Record<string, Field>> = {
  plugin_id: "Id of the plugin whose webhook is called.",
  plugin_type: "Kind of the plugin.",
  hook_id: "Id of the hook.",
  hook_point: "When the webhook is called: for lists of tools, before a call, or after it.",
  priority: "Lower runs first.",
  hooks: "The hooks that were created for the endpoints.",
  "HookResponse.not_in_force": "Absent: calls ask the hook.",
  "CreatePluginRequest.status": "An inactive plugin is not called.",
  webhook_config: "How to reach the webhooks.",
  endpoints: "The webhook of each hook point.",
  access: "Decides which tools a user may see.",
  pre: "Decides about a call before it runs.",
  post: "Decides about the result of a call.",
  "endpoints.access.url": uri("Address of the webhook."),
  "endpoints.pre.url": uri("Address of the webhook."),
  "endpoints.post.url": uri("Address of the webhook."),
  "endpoints.access.status": "Status of the hook that is created.",
  "endpoints.pre.status": "Status of the hook that is created.",
  "endpoints.post.status": "Status of the hook that is created.",
  timeout_ms: "Time limit of a request in milliseconds.",
  cache_enabled: "Whether answers about access are cached.",
  cache_ttl_ms: "How long they are cached, in milliseconds.",
  auth: "How the server authenticates itself at the webhook.",
  "auth.type": "bearer: a token; mtls: a client certificate.",
  token: "Bearer token; write-only.",
  "PluginResponse.webhook_config.auth.token": "Whether the token is set.",
  "CreatePluginResponse.webhook_config.auth.token": "Whether the token is set.",
  ca_cert: "Certificate authority of the webhook (PEM).",
  client_cert_configured: "Whether a client certificate is set.",
  client_key_configured: "Whether its private key is set.",
  health_check_path: "An address, or a path relative to the first endpoint.",
  health_status: "Result of the health checks.",
  signing_secret: "Whether requests are signed (Standard Webhooks).",
  retry: "Repeats of a failed request, within its time limit.",
  "retry.enabled": "Whether failed requests are repeated.",
  max_attempts: "Number of attempts, with the first.",
  backoff: "How the delay grows.",
  base_delay_ms: "First delay in milliseconds.",
  retry_on: "Which failures are repeated.",
  configs: "The hooks to create or change.",
  results: "One entry for each hook, in the order of the request.",
  action: "What was done with the hook.",
  "BulkUpsertHooksResponse.success": "Number of hooks that were stored.",
  "BulkUpsertHooksResponse.failed": "Always 0: all are stored, or none.",
  "results.error": "Never set: an invalid entry fails the request.",
};

const GATEWAYS: Readonly<Record<string, Field>> = {
  tool_filter: "Which tools the gateway offers.",
  slug: {
    description: "Public name in the address, unique on the server.",
    pattern: "^[a-z0-9_-]{1,256}$",
  },
  user_source_id: "The identity provider of the configuration (`user_sources`) whose tokens are accepted.",
  allowed_passthrough_headers: "Stored and returned; without effect here.",
  consent_skip_client_ids: "Stored and returned; without effect here.",
  "discovery.enabled":
    "Whether MCP clients search for tools with `search_tools`, `describe_tool` and `call_tool`, instead of listing them all.",
  allowed_classes: "Stored and returned; without effect here.",
  pinned_asset_keys:
    "Tools that are listed although clients search for tools: `Toolkit.Tool`, without a version.",
  "unknown_tools.message": "Why the name has no effect, and what to do.",
  available: "Whether the slug is free.",
};

const SECRETS: Readonly<Record<string, Field>> = {
  key: "Name of the secret; tools name it in their requirements.",
  "UpsertStoredSecretRequest.value": "The value. No answer shows it.",
  last_accessed_at: "When a tool last received the value.",
};

/** Parameters of operations, by the end of their path, or by name. */
const PARAMETERS: Readonly<Record<string, Field>> = {
  "auth_providers/{id}": "Id of the auth provider.",
  "user_connections/{id}": "Id of the connection.",
  "scheduled_tools/{id}": "Id of the scheduled run.",
  "workers/{id}": "Id of the worker.",
  "{id}": "Id of the record.",
  secret_key: "Name of the secret.",
  secret_id: "Id or name of the secret.",
  org_id: "Id of the organization.",
  project_id: "Id of the project of the credential.",
  gateway_id: "Id of the gateway.",
  hook_id: "Id of the hook.",
  plugin_id: "Id of the plugin.",
  provider_id: "Only connections of this auth provider.",
  user_id: "The end user whom the answer is for.",
  hook_point: "Only hooks of this point.",
  status: "Only hooks with this status.",
  "{name}": "Name of the tool, such as `Toolkit.Tool`, with or without a version (`@1.0.0`).",
};

const FIELDS: Readonly<Record<string, Field>> = {
  ...COMMON,
  ...PROVIDERS,
  ...CONSENTS,
  ...HOOKS,
  ...GATEWAYS,
  ...SECRETS,
  ...TOOL_FIELDS,
  ...MODEL_FIELDS,
  ...WORKER_FIELDS,
};

/** The names that a description exists for; the tests look for those that no record has. */
export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

/** Keywords of a field by the names that lead to it, the record first. */
export function fieldKeywords(path: readonly string[]): object {
  for (let start = 0; start < path.length; start++) {
    const field = FIELDS[path.slice(start).join(".")];
    if (field !== undefined) return keywordsOf(field);
  }
  return {};
}

/** The description of a parameter of an operation's path or query. */
export function parameterDescription(path: string, name: string): string | undefined {
  const key = [path.split("/").slice(-2).join("/"), `{${name}}`, name].find((one) => one in PARAMETERS);
  const field = key === undefined ? undefined : PARAMETERS[key];
  return typeof field === "string" ? field : field?.description;
}

function keywordsOf(field: Field): object {
  return typeof field === "string" ? { description: field } : field;
}
