// One example for each record of a body. Tests check each against its schema.
import { LLM_EXAMPLES } from "./examples-llm";
import { SCHEDULED_EXAMPLES } from "./examples-scheduled";
import { WORKER_EXAMPLES } from "./examples-workers";
import { INFO } from "./info";

const BINDING = { id: "default", type: "project" };
const TIME = "2026-01-31T09:30:00Z";
const AUTHORIZATION = {
  id: "ar_01jb2q8x5t9v7w3y4z6k8m0n1p",
  status: "pending",
  url: "https://runtime.example.com/authorize/4f9a27c1",
  user_id: "alice@example.com",
  provider_id: "slack",
  scopes: ["chat:write", "users:read"],
  context: {},
};
const PROVIDER = {
  id: "slack",
  provider_id: "slack",
  type: "oauth2",
  status: "active",
  description: "Team chat",
};

const HOOK = {
  id: "hk_01jb2q8x5t9v7w3y4z6k8m0n1p",
  name: "policy tool.pre",
  plugin_id: "pl_01jb2q8x5t9v7w3y4z6k8m0n1p",
  hook_point: "tool.pre",
  phase: "before",
  failure_mode: "fail_closed",
  priority: 0,
  status: "active",
  timeout_ms: 5000,
  binding: { id: "default", type: "project" },
  version: 1,
  created_at: TIME,
  updated_at: TIME,
};
const PLUGIN = {
  id: HOOK.plugin_id,
  name: "policy",
  plugin_type: "webhook",
  status: "active",
  binding: BINDING,
  retry: {
    enabled: false,
    max_attempts: 3,
    backoff: "exponential",
    base_delay_ms: 100,
    retry_on: ["5xx", "timeout", "connection_error"],
  },
  webhook_config: {
    endpoints: { pre: { url: "https://policy.example.com/pre" } },
    auth: {
      type: "bearer",
      token: { binding: "project", editable: true, exists: true },
      client_cert_configured: false,
      client_key_configured: false,
    },
  },
  health_status: "unknown",
  version: 1,
  created_by: "operator",
  updated_by: "operator",
  created_at: TIME,
  updated_at: TIME,
};
const GATEWAY = {
  name: "Support team",
  slug: "support",
  description: "What the support agents may do",
  auth_type: "arcade_header",
  status: "active",
  tool_filter: { allowed_tools: ["Chat.SendMessage", "Chat.WhoAmI"] },
};

const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...LLM_EXAMPLES,
  ArbitraryObject: {
    type: "function",
    function: {
      name: "Chat_WhoAmI",
      description: "Says who the user is.",
      parameters: { type: "object", properties: {}, required: [] },
    },
  },
  AuthProviderCreateRequest: {
    id: "slack",
    provider_id: "slack",
    description: "Team chat",
    oauth2: { client_id: "1234567890.1234567890", client_secret: "the secret of the application" },
  },
  AuthProviderPatchRequest: { description: "Team chat of the sales department" },
  AuthProviderResponse: {
    ...PROVIDER,
    binding: BINDING,
    created_at: TIME,
    updated_at: TIME,
    oauth2: {
      client_id: "1234567890.1234567890",
      client_secret: { binding: "project", editable: true, exists: true },
      redirect_uri: "https://runtime.example.com/api/v1/oauth/2f6c1d9a/callback",
    },
  },
  AuthorizationConfirmUserRequest: { flow_id: "fl_3c1f0a", user_id: "alice@example.com" },
  AuthorizationConfirmUserResponse: {
    auth_id: AUTHORIZATION.id,
    next_uri: "https://application.example.com/done",
  },
  AuthorizationInitiationRequest: {
    auth_requirement: { provider_id: "slack", oauth2: { scopes: ["chat:write"] } },
    user_id: "alice@example.com",
    next_uri: "https://application.example.com/done",
  },
  AuthorizationResponse: AUTHORIZATION,
  AuthorizeToolRequest: { tool_name: "Chat.SendMessage", user_id: "alice@example.com" },
  BulkUpsertHooksRequest: {
    configs: [{ plugin_id: PLUGIN.id, hook_point: "tool.pre", failure_mode: "fail_closed", priority: 20 }],
  },
  BulkUpsertHooksResponse: {
    success: 1,
    failed: 0,
    results: [{ action: "created", hook_id: HOOK.id, hook_point: "tool.pre", plugin_id: PLUGIN.id }],
  },
  CreateHookRequest: {
    name: "channels",
    plugin_id: PLUGIN.id,
    hook_point: "tool.pre",
    phase: "before",
    failure_mode: "fail_closed",
    priority: 10,
  },
  CreatePluginRequest: {
    name: "policy",
    plugin_type: "webhook",
    description: "May this channel be written to?",
    webhook_config: {
      endpoints: {
        pre: {
          url: "https://policy.example.com/pre",
          phase: "before",
          failure_mode: "fail_closed",
          priority: 0,
        },
      },
      auth: { type: "bearer", token: "the-token-that-the-webhook-server-knows" },
    },
  },
  CreatePluginResponse: { ...PLUGIN, hooks: [HOOK] },
  CreateGatewayRequest: GATEWAY,
  EngineConfigResponse: {
    dashboard: { authority: "https://identity.example.com", clientId: "runtime", coordinatorUri: "" },
    oauth2: { callback_url_template: "https://runtime.example.com/api/v1/oauth/{external_id}/callback" },
    servers: { timeout_max_seconds: 59 },
  },
  ExecuteToolRequest: {
    tool_name: "Chat.SendMessage",
    user_id: "alice@example.com",
    input: { channel_name: "general", message: "Hello" },
  },
  ExecuteToolResponse: {
    id: "te_01jb2q8x5t9v7w3y4z6k8m0n1p",
    execution_id: "tc_01jb2q8x5t9v7w3y4z6k8m0n1q",
    execution_type: "immediate",
    status: "completed",
    success: true,
    duration: 218.4,
    finished_at: TIME,
    output: { value: { ok: true } },
  },
  GatewayResponse: {
    id: "gw_01jb2q8x5t9v7w3y4z6k8m0n1p",
    ...GATEWAY,
    binding: BINDING,
    created_at: TIME,
    updated_at: TIME,
  },
  HealthSchema: { healthy: true },
  HookResponse: HOOK,
  PatchHookRequest: { status: "inactive" },
  PatchPluginRequest: { description: "Channels and hours" },
  PluginResponse: PLUGIN,
  SessionVerificationSettingsResponse: {
    verifier_url: "https://application.example.com/verify",
    unsafe_skip_verification: false,
    unsafe_skip_verification_choice_allowed: false,
  },
  PatchGatewayRequest: { status: "inactive" },
  SlugInfoRequest: { slug: "support" },
  SlugInfoResponse: { available: true },
  StoredSecretResponse: {
    id: "sec_01jb2q8x5t9v7w3y4z6k8m0n1p",
    key: "VENDOR_SERVER_URL",
    description: "Address of the records platform",
    binding: BINDING,
    created_at: TIME,
    updated_at: TIME,
  },
  OpenApiDocument: {
    openapi: "3.1.1",
    info: { title: INFO.title, version: INFO.version },
    paths: {},
  },
  ...SCHEDULED_EXAMPLES,
  ...WORKER_EXAMPLES,
  ToolRequirementsRequest: { tool_names: ["Chat.SendMessage"], user_id: "alice@example.com" },
  ToolRequirementsResponse: {
    met: false,
    authorization: {
      met: false,
      items: {
        slack: {
          met: false,
          provider_id: "slack",
          provider_type: "oauth2",
          scopes: ["chat:write", "users:read"],
          oauth2: { scopes: ["chat:write"] },
          status: "active",
          token_status: "completed",
          tool_names: ["Chat.SendMessage"],
          tools: [
            { tool_name: "Chat.WhoAmI", met: true, oauth2: { scopes: [] } },
            { tool_name: "Chat.SendMessage", met: false, oauth2: { scopes: ["chat:write"] } },
          ],
        },
      },
    },
    secrets: { met: true, items: {} },
  },
  ToolResponse: {
    fully_qualified_name: "Chat.WhoAmI@1.0.0",
    qualified_name: "Chat.WhoAmI",
    name: "WhoAmI",
    toolkit: { name: "Chat", description: "Team chat", version: "1.0.0" },
    description: "Says who the user is.",
    input: { parameters: [] },
    output: {
      available_modes: ["value", "error"],
      description:
        "Object {`user_id` (string): The user's id; `slack_access` (boolean): Whether the grant works}.",
      value_schema: { val_type: "json" },
    },
    requirements: {
      met: false,
      authorization: {
        id: "slack",
        provider_id: "slack",
        provider_type: "oauth2",
        oauth2: { scopes: ["users:read", "users:read.email"] },
        status: "active",
      },
    },
  },
  UpdateGatewayRequest: { id: "gw_01jb2q8x5t9v7w3y4z6k8m0n1p", ...GATEWAY },
  UpdateSessionVerificationSettingsRequest: { verifier_url: "https://application.example.com/verify" },
  UpsertStoredSecretRequest: { value: "https://records.example.com", description: "Records platform" },
  UserAuthProviderConnectionResponse: {
    id: "ac_01jb2q8x5t9v7w3y4z6k8m0n1p",
    connection_id: "ac_01jb2q8x5t9v7w3y4z6k8m0n1p",
    connection_status: "active",
    provider_id: "slack",
    provider_type: "oauth2",
    scopes: ["chat:write", "users:read"],
    user_id: "alice@example.com",
  },
  ValidateCustomVerifierRequest: {
    verifier_url: "https://application.example.com/verify",
    user_id: "alice@example.com",
  },
  ValidateCustomVerifierResponse: {
    flow_id: "fl_3c1f0a",
    next_uri: "https://application.example.com/verify?flow_id=fl_3c1f0a",
  },
};

const PAGE = "OffsetPageOf";

/** The example of a record, or of a page of it; undefined when there is none. */
export function exampleOf(name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (!name.startsWith(PAGE)) return EXAMPLES[name];
  const item = EXAMPLES[name.slice(PAGE.length)];
  return item === undefined
    ? undefined
    : { items: [item], total_count: 1, offset: 0, limit: 25, page_count: 1 };
}
