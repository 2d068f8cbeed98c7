// The audit trail and the execution log.
export { type ProjectReference, requireIncarnation } from "./incarnation";
export { type ExecutionEntry, ExecutionLog } from "./execution-log";
export { type Actor, actorOf, Audit } from "./service";
export type {
  AuditEntryRecord,
  AuditFilter,
  AuditPage,
  ExecutionRecord,
  ExecutionsFilter,
  ExecutionsPage,
} from "./schema";
export { Trail } from "./trail";
