// Workers that are programs of this machine.
export { programSentences } from "./facts";
export { maySetPrograms, PROGRAM_REFUSED } from "./permission";
export type { Programs, ProcessSpec, RunningProgram } from "./programs";
export { isProgram, type StdioParts, StdioWorkers } from "./service";
