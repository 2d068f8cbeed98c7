// Tools: the interface for catalogs, and the services that list and run tools.
export { mayReceiveKeys } from "./key-rules";
export {
  closedList,
  endOfString,
  isObject,
  type Json,
  type JsonObject,
  nearestOf,
  nextTurn,
  parsePlainJson,
} from "../base";
export { type Caller, InputNeeded, type InputRequest } from "./caller";
export {
  type AddressSecret,
  type Base,
  type CallFacts,
  type Catalog,
  type CatalogWorker,
  type ConnectionCache,
  defineTool,
  type Extensions,
  type Grant,
  type PlatformRequest,
  type ToolContext,
  type ToolDefinition,
  type ToolMetadata,
} from "./definition";
export {
  badInput,
  CallRefused,
  fatal,
  type FieldSentence,
  ConsentAsked,
  GrantDead,
  KeysRefused,
  networkTimeout,
  networkUnreachable,
  outcomeUnknown,
  retryableInput,
  ScopesLost,
  ToolError,
  type ToolErrorDetails,
  TOOL_ERROR_KINDS,
  type ToolErrorKind,
  upstreamBadRequest,
  upstreamFailed,
  upstreamNotFound,
  upstreamRateLimited,
  upstreamRefused,
  upstreamUnauthorized,
  upstreamUnmapped,
} from "./tool-error";
export { type MemoryKind, type Remembered, sealedMemory, type ToolMemory } from "./memory";
export { metadataOf } from "./metadata";
export { knownAddress } from "./secret-address";
export { type ExecuteOptions } from "./execute";
export { formatted, outputSchemaOf, toolForModels } from "./formats";
export { Carried, type ServerAnswer } from "./carried";
export type { ToolSource } from "./registries";
export type { CatalogSummary, Registry, SkippedTool, Tool } from "./registry";
export { inputAs, ruledBy, withReplacements } from "./replaced";
export {
  type AskedHook,
  type Changes,
  type Guard,
  type GuardedCall,
  type GuardedOutcome,
  type PolicyDecision,
  type ToolPolicy,
} from "./policy";
export type { CatalogCallback, CatalogPage, HtmlOptions, PageContext } from "./page";
export { endedBecause, networkFailureOf, toolErrorRecord } from "./failure";
export { judgeInput } from "./input";
export { checkIdempotencyKey, Idempotency } from "./idempotency";
export { meantCall } from "./same-call";
export { sealedAnswers } from "./idempotency-repository";
export { SUSPECT_DUE_RUNS } from "./schedule/due-repository";
export { sealedRuns } from "./schedule/repository";
export type { ToolExecution, ToolExecutionAttempt, ToolExecutionDetail } from "./schedule/schema";
export type { AuthorizeTool, ExecuteTool, Execution, ToolRecord, ToolRequirements } from "./schema";
export {
  type CheckResult,
  codeWord,
  defineSelfCheck,
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  type RecordedCall,
  type Seen,
  type SelfCheckOutcome,
  type SelfCheckReport,
  type SelfCheckRequest,
  type Verdict,
  withoutExample,
  wordOf,
} from "./self-check";
export { Tools } from "./service";
