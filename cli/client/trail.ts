// Who did what, and what ran, on the data folder and over HTTP.
import type { AuditFilter, AuditPage, ExecutionsFilter, ExecutionsPage } from "../../src/audit";
import { capability } from "./client";

export const listAudit = capability<[filter: AuditFilter], AuditPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { AuditQuery } = await import("../../src/audit/schema");
    return runtime.trail.audit(principal, checked(AuditQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/audit", { ...filter }),
});

export const listExecutions = capability<[filter: ExecutionsFilter], ExecutionsPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { ExecutionsQuery } = await import("../../src/audit/schema");
    return runtime.trail.executions(principal, checked(ExecutionsQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/executions", { ...filter }),
});
