// What this area needs of the processes of this machine.
import type { ProcessHost } from "../../processes";

export type { ProcessEnd, ProcessSpec, RunningProcess as RunningProgram } from "../../processes";

/** Starts programs. */
export type Programs = Pick<ProcessHost, "start" | "close">;
