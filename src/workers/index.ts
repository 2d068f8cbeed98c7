// Workers: servers of others whose tools a project offers.
export type { Define, WorkerCatalog } from "./catalogs";
export { definitionOf } from "./foreign";
export { IdentityKeys } from "./identity";
export { httpKind } from "./http";
export { type McpKind, mcpKind } from "./mcp";
export type { WorkerKinds } from "./refresh";
export type {
  CreateWorker,
  UpdateWorker,
  Worker,
  WorkerAuthorization,
  WorkerDiff,
  WorkerHealth,
  WorkerTest,
  WorkerTestResult,
} from "./schema";
export { sealedWorkers } from "./secrets";
export { maySetPrograms, PROGRAM_REFUSED, type Programs, StdioWorkers } from "./stdio";
export type { WorkerParts } from "./parts";
export { Workers } from "./service";
export {
  type LoadedWorker,
  type ReadCatalog,
  type Skipped,
  WorkerFailure,
  type WorkerKind,
  type WorkerTool,
} from "./tool";
export { clientDocument, sealedRegistrations } from "./oauth";
