// Workers: servers of others whose tools a project offers.
export type { Define, WorkerCatalog } from "./catalogs";
export { definitionOf } from "./foreign";
export { httpKind } from "./http";
export { mcpKind } from "./mcp";
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
export { maySetPrograms, PROGRAM_REFUSED } from "./stdio/permission";
export { type WorkerParts, Workers } from "./service";
export {
  type LoadedWorker,
  type ReadCatalog,
  type Skipped,
  WorkerFailure,
  type WorkerKind,
  type WorkerTool,
} from "./tool";
export { clientDocument, sealedRegistrations } from "./oauth";
