// Programs of others, in a cage, under supervision.
export { cageSupport, type CageSupport } from "./cage/support";
export { collectOrphans } from "./first-process";
export { ProcessHost, type ProcessHostParts } from "./host";
export { memoryOfChildren } from "./memory";
export { ownExecutable } from "./own-executable";
export {
  type ProcessEnd,
  type ProcessLimits,
  ProcessRefused,
  type ProcessSpec,
  type RunningProcess,
} from "./spec";
