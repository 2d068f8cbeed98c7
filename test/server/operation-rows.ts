// One row per operation of the table: a request that succeeds for an admin key. Which credentials may send it is read from
// docs/roles.md.
import { operations } from "../../server/operations";
import { type ApiAnswer, api, at, call } from "../support/api";
import { type Column, mayCall } from "../support/role-table";
import { connect, type KeyName, type Stage, startConsent, startStage } from "./stage";
import type { SiteOptions } from "../support/site";

const GATEWAYS = "/v1/orgs/default/projects/default/gateways";
const GATEWAY = { name: "Made", slug: "made", auth_type: "arcade_header" };

export interface Row {
  path: string;
  body?: unknown;
  /** What an admin key gets. */
  success: number;
}

const CUSTOM = {
  id: "made",
  oauth2: {
    client_id: "c",
    authorize_request: { endpoint: "https://idp.example/authorize" },
    token_request: { endpoint: "https://idp.example/token" },
  },
};
const HOOK = { hook_point: "tool.pre", phase: "before", failure_mode: "fail_closed" };
const ENDPOINT = { url: "https://policy.example/pre", phase: "before", failure_mode: "fail_closed" };
// Inactive, as plugins are made: it says nothing about the runs of other rows.
const PLUGIN = {
  name: "policy",
  plugin_type: "webhook",
  webhook_config: { endpoints: { pre: { ...ENDPOINT, priority: 1 } } },
};
const WORKER = { id: "made", mcp: { uri: "http://127.0.0.1:1/mcp", timeout: 1, retry: 0 } };
const WORKLOAD = {
  name: "made",
  issuer: "https://ci.example",
  audience: "https://runtime.example",
  subject: "repo:acme/app:*",
};
const RUN = { tool_name: "Chat.WhoAmI", user_id: "alice" };

// In this order each of them succeeds for an admin key.
export const ROWS: Record<string, Row> = {
  "engine-config": { path: "/v1/config", success: 200 },
  swagger: { path: "/v1/swagger", success: 200 },
  "service-health": { path: "/v1/health", success: 200 },
  "service-live": { path: "/livez", success: 200 },
  "service-ready": { path: "/readyz", success: 200 },
  metrics: { path: "/metrics", success: 200 },
  "server-proof": { path: "/v1/proof?server=unknown&challenge=0123456789abcdef", success: 404 },
  "log-level": {
    path: "/v1/log_level",
    body: { server: "unknown", at: 0, proof: "0123456789abcdef" },
    success: 404,
  },
  "access-log": {
    path: "/v1/access_log",
    body: { server: "unknown", at: 0, proof: "0123456789abcdef" },
    success: 404,
  },
  "server-state": {
    path: "/v1/server_state",
    body: { server: "unknown", at: 0, proof: "0123456789abcdef" },
    success: 404,
  },
  "auth-providers-list": { path: "/v1/admin/auth_providers", success: 200 },
  "auth-providers-create": { path: "/v1/admin/auth_providers", body: CUSTOM, success: 201 },
  "auth-providers-get": { path: "/v1/admin/auth_providers/slack", success: 200 },
  "auth-providers-update": {
    path: "/v1/admin/auth_providers/slack",
    body: { description: "Team chat" },
    success: 200,
  },
  "secrets-list": { path: "/v1/admin/secrets", success: 200 },
  "secrets-upsert": { path: "/v1/admin/secrets/TOKEN", body: { value: "w" }, success: 200 },
  "secrets-delete": { path: "/v1/admin/secrets/TOKEN", success: 204 },
  "session-verification-settings-get": {
    path: "/v1/admin/settings/session_verification",
    success: 200,
  },
  "session-verification-settings-update": {
    path: "/v1/admin/settings/session_verification",
    body: { verifier_url: null },
    success: 200,
  },
  "auth-connections-get": { path: "/v1/admin/user_connections/CONNECTION", success: 200 },
  "auth-connections-list": { path: "/v1/admin/user_connections", success: 200 },
  "initiate-authorization": {
    path: "/v1/auth/authorize",
    body: { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } }, user_id: "alice" },
    success: 200,
  },
  "auth-status": { path: "/v1/auth/status?id=AUTHORIZATION", success: 200 },
  // The flow ids are made at the end of a consent: an unknown one is what a table can send.
  "confirm-user-auth-flow": {
    path: "/v1/auth/confirm_user",
    body: { flow_id: "unknown", user_id: "alice" },
    success: 404,
  },
  "test-authorization-flow": {
    path: "/v1/auth/validate_custom_verifier",
    body: { verifier_url: "https://verifier.example/", user_id: "alice" },
    success: 200,
  },
  // Nobody serves a model here: that the request is understood is what a table can show.
  "llm-chat": {
    path: "/v1/chat/completions",
    body: { model: "unknown", messages: [{ role: "user", content: "Hello" }] },
    success: 400,
  },
  "llm-responses": { path: "/v1/responses", body: { model: "unknown", input: "Hello" }, success: 400 },
  "llm-embeddings": { path: "/v1/embeddings", body: { model: "unknown", input: "Hello" }, success: 400 },
  "models-list": { path: "/v1/models", success: 200 },
  "tools-list": { path: "/v1/tools", success: 200 },
  "tool-get": { path: "/v1/tools/Chat.WhoAmI", success: 200 },
  "tools-list-formatted": { path: "/v1/formatted_tools", success: 200 },
  "tool-spec-formatted": {
    path: "/v1/formatted_tools/Chat.WhoAmI",
    success: 200,
  },
  "tool-requirements": {
    path: "/v1/tools/requirements",
    body: { tool_names: ["Chat.WhoAmI"], user_id: "alice" },
    success: 200,
  },
  "tool-authorize": { path: "/v1/tools/authorize", body: RUN, success: 200 },
  "tool-execute": { path: "/v1/tools/execute", body: RUN, success: 200 },
  "plugins-list": { path: "/v1/plugins", success: 200 },
  "plugins-create": { path: "/v1/plugins", body: PLUGIN, success: 201 },
  "plugins-get": { path: "/v1/plugins/PLUGIN", success: 200 },
  "plugins-update": {
    path: "/v1/plugins/PLUGIN",
    body: { description: "x" },
    success: 200,
  },
  "plugins-delete": { path: "/v1/plugins/UNUSED", success: 204 },
  // Asks the webhook server, which is nowhere here.
  "plugins-test": { path: "/v1/plugins/pl_unknown/test", success: 404 },
  "hooks-list": { path: "/v1/hooks", success: 200 },
  "hooks-create": {
    path: "/v1/hooks",
    body: { ...HOOK, plugin_id: "PLUGIN", name: "second", priority: 7 },
    success: 201,
  },
  "hooks-bulk-upsert": {
    path: "/v1/hooks/bulk",
    body: { configs: [{ plugin_id: "PLUGIN", hook_point: "tool.post", priority: 9 }] },
    success: 200,
  },
  "hooks-get": { path: "/v1/hooks/HOOK", success: 200 },
  "hooks-update": { path: "/v1/hooks/HOOK", body: { priority: 3 }, success: 200 },
  "hooks-delete": { path: "/v1/hooks/HOOK", success: 204 },
  "caller-get": { path: "/v1/caller", success: 200 },
  "keys-list": { path: "/v1/admin/keys", success: 200 },
  "keys-create": { path: "/v1/admin/keys", body: { name: "made" }, success: 201 },
  // Each stage has other ids of keys, so the table can only send an unknown one.
  "keys-get": { path: "/v1/admin/keys/key_unknown", success: 404 },
  "keys-delete": { path: "/v1/admin/keys/key_unknown", success: 404 },
  "keys-rotate": { path: "/v1/admin/keys/key_unknown/rotate", body: {}, success: 404 },
  "clients-list": { path: "/v1/admin/clients", success: 200 },
  "clients-revoke": { path: "/v1/admin/clients/revoke", body: { id: "unknown" }, success: 404 },
  "workloads-list": { path: "/v1/admin/workloads", success: 200 },
  "workloads-create": { path: "/v1/admin/workloads", body: WORKLOAD, success: 201 },
  "workloads-get": { path: "/v1/admin/workloads/wl_unknown", success: 404 },
  "workloads-delete": { path: "/v1/admin/workloads/wl_unknown", success: 404 },
  "identity-keys-rotate": { path: "/v1/identity_keys/rotate", success: 200 },
  "users-list": { path: "/v1/admin/users", success: 200 },
  "users-export": { path: "/v1/admin/users/export", body: { user_id: "ada" }, success: 200 },
  "users-erase": { path: "/v1/admin/users/erase", body: { user_id: "nobody-known" }, success: 200 },
  "users-suspend": { path: "/v1/admin/users/suspend", body: { user_id: "suspended" }, success: 200 },
  "users-resume": { path: "/v1/admin/users/resume", body: { user_id: "suspended" }, success: 200 },
  // People do not sign in here.
  "users-invite": { path: "/v1/admin/users/invite", body: { user_id: "invited" }, success: 400 },
  "users-update": {
    path: "/v1/admin/users/update",
    body: { user_id: "unknown", role: "admin" },
    success: 404,
  },
  "users-remove": { path: "/v1/admin/users/remove", body: { user_id: "unknown" }, success: 404 },
  "sessions-list": { path: "/v1/admin/users/sessions?user_id=ada", success: 200 },
  "sessions-end": { path: "/v1/admin/users/sessions/end", body: { user_id: "ada" }, success: 200 },
  "data-key-rotate": { path: "/v1/admin/data_key/rotate", success: 200 },
  "organizations-list": { path: "/v1/admin/organizations", success: 200 },
  "projects-list": { path: "/v1/admin/projects", success: 200 },
  "projects-get": { path: "/v1/admin/projects/default", success: 200 },
  "projects-update": {
    path: "/v1/admin/projects/default",
    body: { name: "Default" },
    success: 200,
  },
  "model-entries-list": { path: "/v1/admin/model_entries", success: 200 },
  "model-entries-create": {
    path: "/v1/admin/model_entries",
    body: { id: "entry", models: ["m"], openai: {} },
    success: 201,
  },
  "model-entries-get": { path: "/v1/admin/model_entries/unknown", success: 404 },
  "model-entries-update": {
    path: "/v1/admin/model_entries/unknown",
    body: { models: ["n"] },
    success: 404,
  },
  "model-entries-delete": { path: "/v1/admin/model_entries/unknown", success: 404 },
  "runnable-tools-get": {
    path: "/v1/admin/settings/runnable_tools",
    success: 200,
  },
  "runnable-tools-update": {
    path: "/v1/admin/settings/runnable_tools",
    body: { tools: "all" },
    success: 200,
  },
  "manifest-get": { path: "/v1/admin/manifest", success: 200 },
  "manifest-apply": {
    path: "/v1/admin/manifest?dry_run=true",
    body: { secrets: [] },
    success: 200,
  },
  "status-get": { path: "/v1/admin/status", success: 200 },
  "audit-list": { path: "/v1/admin/audit", success: 200 },
  "executions-get": { path: "/v1/admin/executions/te_unknown", success: 404 },
  "executions-list": { path: "/v1/admin/executions", success: 200 },
  "provider-setup-get": { path: "/v1/admin/provider_setup/slack", success: 200 },
  "project-gateways-list": { path: GATEWAYS, success: 200 },
  "project-gateways-create": { path: GATEWAYS, body: GATEWAY, success: 201 },
  "project-gateways-slug-info": {
    path: `${GATEWAYS}/slug`,
    body: { slug: "free" },
    success: 200,
  },
  "project-gateways-get": { path: `${GATEWAYS}/GATEWAY`, success: 200 },
  "project-gateways-replace": {
    path: `${GATEWAYS}/GATEWAY`,
    body: { id: "GATEWAY", name: "Replaced", auth_type: "arcade_header" },
    success: 200,
  },
  "project-gateways-update": {
    path: `${GATEWAYS}/GATEWAY`,
    body: { name: "Changed" },
    success: 200,
  },
  "project-gateways-delete": { path: `${GATEWAYS}/GATEWAY`, success: 204 },
  "workers-list": { path: "/v1/workers", success: 200 },
  // Nothing listens there: the record says so.
  "workers-create": { path: "/v1/workers", body: WORKER, success: 201 },
  "workers-test": {
    path: "/v1/workers/test",
    body: { type: "mcp", mcp: { uri: WORKER.mcp.uri } },
    success: 200,
  },
  // Nothing listens there.
  "workers-preview": {
    path: "/v1/workers/preview",
    body: { mcp: { uri: WORKER.mcp.uri } },
    success: 400,
  },
  "workers-get": { path: "/v1/workers/there", success: 200 },
  "workers-update": { path: "/v1/workers/there", body: { updates: "auto" }, success: 200 },
  "workers-authorize": { path: "/v1/workers/there/authorize", success: 400 },
  "workers-health": { path: "/v1/workers/there/health", success: 200 },
  "workers-tools-list": { path: "/v1/workers/there/tools", success: 200 },
  "workers-refresh": { path: "/v1/workers/there/refresh", success: 200 },
  "workers-diff": { path: "/v1/workers/there/diff", success: 200 },
  "workers-accept": { path: "/v1/workers/there/accept", body: {}, success: 200 },
  "workers-delete": { path: "/v1/workers/made", success: 204 },
  "scheduled-tools-list": { path: "/v1/scheduled_tools", success: 200 },
  "scheduled-tool-get": {
    path: "/v1/scheduled_tools/SCHEDULED",
    success: 200,
  },
  "scheduled-tool-cancel": { path: "/v1/scheduled_tools/SCHEDULED/cancel", success: 200 },
  "auth-connections-delete": {
    path: "/v1/admin/user_connections/CONNECTION",
    success: 204,
  },
  "auth-providers-delete": { path: "/v1/admin/auth_providers/slack", success: 200 },
};

export const guarded = Object.entries(ROWS).filter(([id]) => !columnsOf(id).has("none"));

/** Which credentials may call an operation. */
export function columnsOf(id: string): ReadonlySet<Column> {
  const operation = operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  return mayCall(operation.method, operation.path);
}

/**
 * A stage with what the rows name: a connection of alice and a run of hers in the far future, a consent that waits for
 * bob, the secret TOKEN, the worker there.
 */
export interface RowStage extends Stage {
  connection: string;
  authorization: string;
  /** A plugin, its first hook, and a plugin without hooks. */
  plugin: string;
  hook: string;
  unused: string;
  gateway: string;
  scheduled: string;
}

export async function startRowStage(options?: SiteOptions): Promise<RowStage> {
  const stage = await startStage(options);
  const connection = await connect(stage, "alice");
  const { id: authorization } = await startConsent(stage, { user_id: "bob" });
  await api(stage.site.url, stage.keys.admin).post("/v1/admin/secrets/TOKEN", { value: "v" });
  const admin = api(stage.site.url, stage.keys.admin);
  const used = await admin.post("/v1/plugins", {
    ...PLUGIN,
    name: "used",
    webhook_config: { endpoints: { pre: ENDPOINT, post: ENDPOINT } },
  });
  const idle = await admin.post("/v1/plugins", { ...PLUGIN, name: "unused" });
  await admin.delete(`/v1/hooks/${String(at(idle.body, "hooks.0.id"))}`);
  const [plugin, hook] = [String(at(used.body, "id")), String(at(used.body, "hooks.0.id"))];
  const made = await admin.post(GATEWAYS, { ...GATEWAY, slug: "there" });
  const [unused, gateway] = [String(at(idle.body, "id")), String(at(made.body, "id"))];
  // Disabled: the server does not read its catalog by itself.
  await admin.post("/v1/workers", { ...WORKER, id: "there", enabled: false });
  const later = await admin.post("/v1/tools/execute", { ...RUN, run_at: "2999-01-01T00:00:00" });
  const scheduled = String(at(later.body, "id"));
  return { ...stage, connection, authorization, plugin, hook, unused, gateway, scheduled };
}

/** Sends the row's request, or its path with another body as it is. */
export function send(
  stage: RowStage,
  [id, row]: readonly [string, Row],
  headers: Record<string, string>,
  raw?: string,
): Promise<ApiAnswer> {
  const method = operations.find((operation) => operation.id === id)?.method ?? "unknown operation";
  const path = named(stage, row.path);
  const body: unknown =
    row.body === undefined ? undefined : JSON.parse(named(stage, JSON.stringify(row.body)));
  return call(stage.site.url, {
    method,
    path,
    headers,
    ...(raw === undefined ? { body } : { raw }),
  });
}

function named(stage: RowStage, text: string): string {
  return text
    .replace("CONNECTION", stage.connection)
    .replace("AUTHORIZATION", stage.authorization)
    .replace("PLUGIN", stage.plugin)
    .replace("HOOK", stage.hook)
    .replace("UNUSED", stage.unused)
    .replace("GATEWAY", stage.gateway)
    .replace("SCHEDULED", stage.scheduled);
}

export function sendAs(
  stage: RowStage,
  entry: readonly [string, Row],
  key: KeyName,
  raw?: string,
): Promise<ApiAnswer> {
  return send(stage, entry, { authorization: `Bearer ${stage.keys[key]}` }, raw);
}
