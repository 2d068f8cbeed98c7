// Who did what, and what ran.
export { type ExecutionEntry, ExecutionLog } from "./execution-log";
export { Audit, type AuditEntry } from "./service";
export {
  AuditEntries,
  type AuditEntryRecord,
  AuditEntryResponse,
  type AuditFilter,
  type AuditPage,
  AuditQuery,
  type ExecutionRecord,
  ExecutionRecordResponse,
  ExecutionRecords,
  type ExecutionsFilter,
  type ExecutionsPage,
  ExecutionsQuery,
} from "./schema";
export { Trail } from "./trail";
