// Workers that are programs of this machine.
export { maySetPrograms, PROGRAM_REFUSED } from "./permission";
export type { Programs, ProgramSpec, RunningProgram } from "./programs";
export { isProgram, type StdioParts, StdioWorkers } from "./service";
