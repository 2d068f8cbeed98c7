// The audit trail and the execution log.
export { Basis, Outdated } from "./basis";
export { type ProjectReference, requireIncarnation } from "./incarnation";
export { countErasure } from "./erased-users";
export type { ExecutionEntry } from "./execution-entry";
export { ExecutionLog } from "./execution-log";
export { type Actor, actorOf, Audit, type Happened } from "./service";
export { Events } from "./events";
export { Inspection } from "./inspection";
export { Keeper } from "./keeper";
export { Refusals } from "./refusals";
export { SigningKey } from "./signing";
export type { ChainHead, SignedHead } from "./heads";
export { headsIn } from "./repository";
export { type Problem, type Verification, type VerifiedChain, verifyUnsigned } from "./verify";
export type {
  AuditEntryRecord,
  AuditFilter,
  AuditPage,
  ExecutionRecord,
  ExecutionsFilter,
  ExecutionsPage,
} from "./schema";
export { Trail } from "./trail";
