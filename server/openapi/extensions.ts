// What the API has beyond the hosted one: the document marks it with `x-extension: true`. Operations say it themselves
// (`extension` of their row). A field inside of a marked one needs no entry.

/** Added to what is not part of the published contract. */
export const MARK = { "x-extension": true } as const;

const PROVIDER = [
  "oauth2.private_key",
  "oauth2.issuer",
  "oauth2.resource",
  "oauth2.default_scopes",
  "oauth2.authorization_response_iss_parameter_supported",
  "oauth2.revoke_request",
  "api_key",
];
const WORKER = [
  "mcp.oauth2.issuer",
  "mcp.oauth2.resource",
  "toolkit",
  "updates",
  "trust_annotations",
  "strict_results",
  "send_tokens",
  "identity",
  "identity_header",
  "limits",
];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  AuthProviderCreateRequest: PROVIDER,
  AuthProviderPatchRequest: PROVIDER,
  AuthProviderResponse: [...PROVIDER, "oauth2.worker"],
  AuthorizationResponse: ["status_reason"],
  ToolRequirementsResponse: ["authorization.items.status_reason", "authorization.items.tools"],
  ExecuteToolRequest: ["dry_run"],
  ChatMessage: [
    "content.text",
    "content.image_url",
    "content.input_audio",
    "content.file",
    "content.refusal",
    "refusal",
    "reasoning_content",
  ],
  ChatRequest: [
    "tools.function.parameters",
    "max_completion_tokens",
    "response_format.json_schema",
    "reasoning_effort",
    "verbosity",
    "metadata",
    "service_tier",
    "store",
  ],
  ChatResponse: [
    "choices.message.refusal",
    "choices.message.reasoning_content",
    "choices.tool_messages.refusal",
    "choices.tool_messages.reasoning_content",
  ],
  HookResponse: ["binding", "not_in_force"],
  CreatePluginRequest: ["webhook_config.signing_secret"],
  PatchPluginRequest: ["webhook_config.signing_secret"],
  PluginResponse: ["webhook_config.signing_secret", "not_in_force"],
  CreatePluginResponse: ["webhook_config.signing_secret", "not_in_force"],
  CreateGatewayRequest: ["allowed_groups"],
  UpdateGatewayRequest: ["allowed_groups"],
  PatchGatewayRequest: ["allowed_groups"],
  GatewayResponse: ["allowed_groups", "unknown_tools"],
  CreateWorkerRequest: [...WORKER, "mcp.oauth2.register"],
  UpdateWorkerRequest: [...WORKER, "mcp.oauth2.register"],
  WorkerResponse: [
    ...WORKER,
    "mcp.stdio",
    "mcp.oauth2.problem",
    "skipped",
    "catalog",
    "created_at",
    "updated_at",
  ],
  WorkerAuthorizeResponse: ["authorization_id"],
  Error: ["type", "title", "status", "detail", "error"],
};

const PARAMETERS: ReadonlySet<string> = new Set(["/v1/tools query"]);

/** Whether a field is ours; `path`: the record and the names that lead to the field. */
export function isExtensionField([record = "", ...names]: readonly string[]): boolean {
  return Object.hasOwn(FIELDS, record) && FIELDS[record]?.includes(names.join(".")) === true;
}

/** Whether a parameter of the query is ours. */
export function isExtensionParameter(path: string, name: string): boolean {
  return PARAMETERS.has(`${path} ${name}`);
}
