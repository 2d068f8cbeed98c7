// Which operation is served where, and who may call it. It stands apart from the operations themselves: a server knows its
// routes before it loads schemas and handlers, which it does area by area, when one is first asked for.
import type { Role } from "../../src/identity";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RoutedOperation {
  id: string;
  method: Method;
  /** Another method that clients send for it. Served, but not part of the contract. */
  alias?: Method;
  /** `/v1/admin/secrets/{secret_key}` */
  path: string;
  /** Further addresses of it, not part of the contract either. */
  alsoAt?: readonly string[];
  /** Roles that may call it; `public` needs no credential. */
  credential: readonly Role[] | "public";
}

/** By area: a file beside this one. */
export const ROUTING = {
  "auth-providers": [
    {
      id: "auth-providers-list",
      method: "GET",
      path: "/v1/admin/auth_providers",
      credential: ["admin", "read"],
    },
    { id: "auth-providers-create", method: "POST", path: "/v1/admin/auth_providers", credential: ["admin"] },
    {
      id: "auth-providers-get",
      method: "GET",
      path: "/v1/admin/auth_providers/{id}",
      credential: ["admin", "read"],
    },
    {
      id: "auth-providers-update",
      method: "PATCH",
      path: "/v1/admin/auth_providers/{id}",
      credential: ["admin"],
    },
    {
      id: "auth-providers-delete",
      method: "DELETE",
      path: "/v1/admin/auth_providers/{id}",
      credential: ["admin"],
    },
  ],
  secrets: [
    { id: "secrets-list", method: "GET", path: "/v1/admin/secrets", credential: ["admin", "read"] },
    {
      id: "secrets-upsert",
      method: "POST",
      alias: "PUT",
      path: "/v1/admin/secrets/{secret_key}",
      credential: ["admin"],
    },
    { id: "secrets-delete", method: "DELETE", path: "/v1/admin/secrets/{secret_id}", credential: ["admin"] },
  ],
  settings: [
    {
      id: "session-verification-settings-get",
      method: "GET",
      path: "/v1/admin/settings/session_verification",
      credential: ["admin", "read"],
    },
    {
      id: "session-verification-settings-update",
      method: "PUT",
      path: "/v1/admin/settings/session_verification",
      credential: ["admin"],
    },
  ],
  connections: [
    {
      id: "auth-connections-list",
      method: "GET",
      path: "/v1/admin/user_connections",
      credential: ["admin", "read"],
    },
    {
      id: "auth-connections-delete",
      method: "DELETE",
      path: "/v1/admin/user_connections/{id}",
      credential: ["admin"],
    },
  ],
  authorization: [
    {
      id: "initiate-authorization",
      method: "POST",
      path: "/v1/auth/authorize",
      credential: ["admin", "run"],
    },
    {
      id: "confirm-user-auth-flow",
      method: "POST",
      path: "/v1/auth/confirm_user",
      alsoAt: ["/api/v1/oauth/confirm_user"],
      credential: ["admin", "run"],
    },
    {
      id: "test-authorization-flow",
      method: "POST",
      path: "/v1/auth/validate_custom_verifier",
      credential: ["admin", "run"],
    },
    { id: "auth-status", method: "GET", path: "/v1/auth/status", credential: ["admin", "run", "read"] },
  ],
  tools: [
    { id: "tools-list", method: "GET", path: "/v1/tools", credential: ["admin", "run", "read"] },
    { id: "tool-get", method: "GET", path: "/v1/tools/{name}", credential: ["admin", "run", "read"] },
    { id: "tool-requirements", method: "POST", path: "/v1/tools/requirements", credential: ["admin", "run"] },
    { id: "tool-authorize", method: "POST", path: "/v1/tools/authorize", credential: ["admin", "run"] },
    { id: "tool-execute", method: "POST", path: "/v1/tools/execute", credential: ["admin", "run"] },
  ],
  "formatted-tools": [
    {
      id: "tools-list-formatted",
      method: "GET",
      path: "/v1/formatted_tools",
      credential: ["admin", "run", "read"],
    },
    {
      id: "tool-spec-formatted",
      method: "GET",
      path: "/v1/formatted_tools/{name}",
      credential: ["admin", "run", "read"],
    },
  ],
  hooks: [
    { id: "hooks-list", method: "GET", path: "/v1/hooks", credential: ["admin", "read"] },
    { id: "hooks-create", method: "POST", path: "/v1/hooks", credential: ["admin"] },
    { id: "hooks-bulk-upsert", method: "PATCH", path: "/v1/hooks/bulk", credential: ["admin"] },
    { id: "hooks-get", method: "GET", path: "/v1/hooks/{hook_id}", credential: ["admin", "read"] },
    { id: "hooks-update", method: "PATCH", path: "/v1/hooks/{hook_id}", credential: ["admin"] },
    { id: "hooks-delete", method: "DELETE", path: "/v1/hooks/{hook_id}", credential: ["admin"] },
  ],
  plugins: [
    { id: "plugins-list", method: "GET", path: "/v1/plugins", credential: ["admin", "read"] },
    { id: "plugins-create", method: "POST", path: "/v1/plugins", credential: ["admin"] },
    { id: "plugins-get", method: "GET", path: "/v1/plugins/{plugin_id}", credential: ["admin", "read"] },
    { id: "plugins-update", method: "PATCH", path: "/v1/plugins/{plugin_id}", credential: ["admin"] },
    { id: "plugins-delete", method: "DELETE", path: "/v1/plugins/{plugin_id}", credential: ["admin"] },
    { id: "plugins-test", method: "POST", path: "/v1/plugins/{plugin_id}/test", credential: ["admin"] },
  ],
  gateways: [
    {
      id: "project-gateways-list",
      method: "GET",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways",
      credential: ["admin", "read"],
    },
    {
      id: "project-gateways-create",
      method: "POST",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways",
      credential: ["admin"],
    },
    {
      id: "project-gateways-slug-info",
      method: "POST",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways/slug",
      credential: ["admin"],
    },
    {
      id: "project-gateways-get",
      method: "GET",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}",
      credential: ["admin", "read"],
    },
    {
      id: "project-gateways-replace",
      method: "PUT",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}",
      credential: ["admin"],
    },
    {
      id: "project-gateways-update",
      method: "PATCH",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}",
      credential: ["admin"],
    },
    {
      id: "project-gateways-delete",
      method: "DELETE",
      path: "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}",
      credential: ["admin"],
    },
  ],
  llm: [
    { id: "llm-chat", method: "POST", path: "/v1/chat/completions", credential: ["admin", "run"] },
    { id: "models-list", method: "GET", path: "/v1/models", credential: ["admin", "run", "read"] },
  ],
  "scheduled-tools": [
    {
      id: "scheduled-tools-list",
      method: "GET",
      path: "/v1/scheduled_tools",
      credential: ["admin", "run", "read"],
    },
    {
      id: "scheduled-tool-get",
      method: "GET",
      path: "/v1/scheduled_tools/{id}",
      credential: ["admin", "run", "read"],
    },
  ],
  service: [{ id: "service-health", method: "GET", path: "/v1/health", credential: "public" }],
  discovery: [
    { id: "engine-config", method: "GET", path: "/v1/config", credential: "public" },
    { id: "swagger", method: "GET", path: "/v1/swagger", credential: "public" },
  ],
  keys: [
    { id: "keys-list", method: "GET", path: "/v1/admin/keys", credential: ["admin"] },
    { id: "keys-create", method: "POST", path: "/v1/admin/keys", credential: ["admin"] },
    { id: "keys-get", method: "GET", path: "/v1/admin/keys/{id}", credential: ["admin"] },
    { id: "keys-delete", method: "DELETE", path: "/v1/admin/keys/{id}", credential: ["admin"] },
    { id: "data-key-rotate", method: "POST", path: "/v1/admin/data_key/rotate", credential: ["admin"] },
  ],
  projects: [
    { id: "caller-get", method: "GET", path: "/v1/caller", credential: ["admin", "run", "read"] },
    {
      id: "organizations-list",
      method: "GET",
      path: "/v1/admin/organizations",
      credential: ["admin", "read"],
    },
    { id: "projects-list", method: "GET", path: "/v1/admin/projects", credential: ["admin", "read"] },
    { id: "projects-get", method: "GET", path: "/v1/admin/projects/{id}", credential: ["admin", "read"] },
    { id: "projects-update", method: "PATCH", path: "/v1/admin/projects/{id}", credential: ["admin"] },
  ],
  manifest: [
    { id: "manifest-get", method: "GET", path: "/v1/admin/manifest", credential: ["admin"] },
    { id: "manifest-apply", method: "POST", path: "/v1/admin/manifest", credential: ["admin"] },
  ],
  "model-entries": [
    {
      id: "model-entries-list",
      method: "GET",
      path: "/v1/admin/model_entries",
      credential: ["admin", "read"],
    },
    { id: "model-entries-create", method: "POST", path: "/v1/admin/model_entries", credential: ["admin"] },
    {
      id: "model-entries-get",
      method: "GET",
      path: "/v1/admin/model_entries/{id}",
      credential: ["admin", "read"],
    },
    {
      id: "model-entries-update",
      method: "PATCH",
      path: "/v1/admin/model_entries/{id}",
      credential: ["admin"],
    },
    {
      id: "model-entries-delete",
      method: "DELETE",
      path: "/v1/admin/model_entries/{id}",
      credential: ["admin"],
    },
    {
      id: "runnable-tools-get",
      method: "GET",
      path: "/v1/admin/settings/runnable_tools",
      credential: ["admin", "read"],
    },
    {
      id: "runnable-tools-update",
      method: "PUT",
      path: "/v1/admin/settings/runnable_tools",
      credential: ["admin"],
    },
  ],
  trail: [
    { id: "status-get", method: "GET", path: "/v1/admin/status", credential: ["admin", "read"] },
    { id: "audit-list", method: "GET", path: "/v1/admin/audit", credential: ["admin"] },
    { id: "executions-list", method: "GET", path: "/v1/admin/executions", credential: ["admin", "read"] },
    {
      id: "provider-setup-get",
      method: "GET",
      path: "/v1/admin/provider_setup/{provider}",
      credential: ["admin", "read"],
    },
  ],
} as const satisfies Readonly<Record<string, readonly RoutedOperation[]>>;

export type Area = keyof typeof ROUTING;
export type OperationId = (typeof ROUTING)[Area][number]["id"];

/** The row of an operation. */
export function routed(id: OperationId): RoutedOperation {
  const rows: readonly RoutedOperation[] = Object.values(ROUTING).flat();
  const row = rows.find((each) => each.id === id);
  if (row === undefined) throw new Error(`there is no operation ${id}`);
  return row;
}
