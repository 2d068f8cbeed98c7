// The plan of one start: everything that the launcher does, decided by the server. It travels in a file in memory, because
// other processes can read arguments, and the engine obeys variables of its environment.

/** What a program may do with a path and everything below it. `run` includes `read`, `write` includes `run`. */
export type Access = "read" | "run" | "write" | "device";

export interface CageRule {
  path: string;
  access: Access;
}

export interface CagePlan {
  rules: CageRule[];
  /** Whether the program may open Unix sockets. They are not bound to folders, so normally it may not. */
  unixSockets: boolean;
}

export interface LaunchPlan {
  /** Absolute path of the program. */
  program: string;
  /** Includes the name of the program. */
  arguments: string[];
  /** NAME=value */
  environment: string[];
  folder: string;
  /** Open files. */
  files: number;
  cage?: CagePlan;
}

/** The descriptors that a launcher finds open, after the three standard ones. */
export const PLAN_DESCRIPTOR = 3;
/** The launcher writes here why the program could not be started; the start of the program closes it. */
export const REFUSAL_DESCRIPTOR = 4;
/** The descriptors of one start, in the order in which they are passed on. */
export const PASSED_DESCRIPTORS = 5;

/** The hidden commands of the executable. */
export const ROLES = ["process-watchdog", "process-supervisor", "process-launcher"] as const;
export type Role = (typeof ROLES)[number];

/** How to run ourselves as one of them. `argv0` keeps the list of processes readable. */
export function roleCommand(executable: readonly string[], role: Role): { cmd: string[]; argv0: string } {
  return { cmd: [...executable, role], argv0: role };
}
