// The audit trail, on the data folder and over HTTP.
import type { AuditEntryRecord, AuditFilter, AuditPage } from "../../src/audit";
import { notFound } from "../../src/errors";
import { type Client, operation } from "./client";

export const listAudit = operation<[filter: AuditFilter], AuditPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { AuditQuery } = await import("../../src/audit/schema");
    return runtime.trail.audit(principal, checked(AuditQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/audit", { ...filter }),
});

/** One entry by its id: the first one after the entry before it. Throws `not_found`. */
export async function findEntry(client: Client, id: string): Promise<AuditEntryRecord> {
  const before = (await listAudit(client, { before: id, limit: 1 })).items[0];
  const next: AuditFilter = before === undefined ? { order: "oldest" } : { after: before.id };
  const [found] = (await listAudit(client, { ...next, limit: 1 })).items;
  if (found?.id === id) return found;
  throw notFound("No entry with this id is in the audit trail of this project.");
}
