// How it stands, who did what, and what ran. Served for the terminal, not part of the published contract.
import { version } from "../../package.json";
import { AuditEntries, AuditQuery, ExecutionRecords, ExecutionsQuery } from "../../src/audit";
import { ProviderSetupResponse } from "../../src/providers";
import { StatusResponse, statusOf } from "../../src/status";
import { operation } from "./operation";

const tag = "Administration";

export const trailOperations = [
  operation({
    id: "status-get",
    extension: true,
    method: "GET",
    path: "/v1/admin/status",
    tag,
    summary: "Say how the deployment and the project stand",
    credential: ["admin", "read"],
    success: { status: 200, schema: StatusResponse },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal }) => statusOf(runtime, principal, version),
  }),
  operation({
    id: "audit-list",
    extension: true,
    method: "GET",
    path: "/v1/admin/audit",
    tag,
    summary: "List administrative writes, the newest first",
    credential: ["admin"],
    query: AuditQuery,
    success: { status: 200, schema: AuditEntries },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, query }) => runtime.trail.audit(principal, query),
  }),
  operation({
    id: "executions-list",
    extension: true,
    method: "GET",
    path: "/v1/admin/executions",
    tag,
    summary: "List tool runs, the newest first",
    credential: ["admin", "read"],
    query: ExecutionsQuery,
    success: { status: 200, schema: ExecutionRecords },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, query }) => runtime.trail.executions(principal, query),
  }),
  operation({
    id: "provider-setup-get",
    extension: true,
    method: "GET",
    path: "/v1/admin/provider_setup/{provider}",
    tag,
    summary: "Say what to enter at a well-known platform's console",
    credential: ["admin", "read"],
    success: { status: 200, schema: ProviderSetupResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => {
      const id = path("provider");
      return runtime.providers.setup(principal, id, runtime.tools.scopesOf(id));
    },
  }),
];
