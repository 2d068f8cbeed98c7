// Work that a step has begun in a process, and what it came to.
import type { Principal } from "../../src/identity";
import type { Execution } from "../../src/tools";
import type { Life } from "./life";
import type { SimulatedProcess } from "./simulated-process";
import type { Step, Work } from "./steps";

export interface Operation {
  readonly step: Step & Work;
  readonly label: string;
  readonly process: SimulatedProcess;
  /** Of the process. A terminal command gets its own when it starts. */
  life: Life;
  /** Virtual time. */
  readonly since: number;
  /** Beginnings and ends of all operations are numbered. */
  readonly began: number;
  /** The token of the call was valid by the clock of its process. */
  readonly isTokenValid: boolean;
  ended?: number;
  endedAt?: number;
  error?: unknown;
  /** The answer of a call. */
  execution?: Execution;
  /** The consent has ended with a connection. */
  isConnected?: boolean;
  /** The id of the API key that was deleted or used. */
  keyId?: string;
  /** The caller of a visit. */
  principal?: Principal;
  /** The incarnation of the second project at the beginning. */
  readonly incarnation: string | undefined;
  /** Ids of the entries that a visitor has seen. */
  seen?: string[];
  /** The result of a rotation of a data key. */
  rotated?: { id: string; unopenable?: number; remaining?: number };
  /** The process was healthy by its own account; `failingSince`: as of the beginning. */
  health?: { healthy: boolean; failingSince: number | undefined };
}

/** Names the effect of a step. Calls with the same key have the same label. */
export function labelOf(step: Step): string {
  if (step.kind === "call" && step.key !== undefined) return `key ${step.key} of ${step.user}`;
  return `${step.kind} ${step.number}`;
}

/** Whether it has ended, one way or another. */
export function isOver({ ended, life }: Operation): boolean {
  return ended !== undefined || !life.isAlive;
}
