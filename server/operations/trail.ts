// Status, audit trail and executions. Not part of the published contract.
import {
  AuditEntries,
  AuditQuery,
  ExecutionRecordResponse,
  ExecutionRecords,
  ExecutionsQuery,
} from "../../src/audit/schema";
import { ProviderSetupResponse } from "../../src/providers/schema";
import { StatusResponse, statusOf } from "../../src/status";
import { operation } from "./operation";

const tag = "Administration";

export const trailOperations = [
  operation("GET", "/v1/admin/status", {
    id: "status-get",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get the status of the deployment and the project",
    success: { status: 200, schema: StatusResponse },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal }) => statusOf(runtime, principal),
  }),
  operation("GET", "/v1/admin/audit", {
    id: "audit-list",
    credential: ["admin", "audit"],
    extension: true,
    tag,
    summary: "List administrative changes, newest first",
    query: AuditQuery,
    success: { status: 200, schema: AuditEntries },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, query }) => runtime.trail.audit(principal, query),
  }),
  operation("GET", "/v1/admin/executions", {
    id: "executions-list",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "List tool runs, newest first",
    query: ExecutionsQuery,
    success: { status: 200, schema: ExecutionRecords },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, query }) => runtime.trail.executions(principal, query),
  }),
  operation("GET", "/v1/admin/executions/{id}", {
    id: "executions-get",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get one tool run",
    success: { status: 200, schema: ExecutionRecordResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.trail.execution(principal, path("id")),
  }),
  operation("GET", "/v1/admin/provider_setup/{provider}", {
    id: "provider-setup-get",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get the values to enter at a well-known platform's console",
    success: { status: 200, schema: ProviderSetupResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => {
      const id = path("provider");
      return runtime.providers.setup(principal, id, (served) => runtime.tools.scopesOf(principal, served));
    },
  }),
];
