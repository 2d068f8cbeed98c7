// What tools remember between runs and processes.
export { type MemoryKind, NO_MEMORY, type Remembered, type ToolMemory } from "./kinds";
export { type MemoryOwner, toolMemory } from "./memory";
export { sealedMemory } from "./repository";
