// What the parts of the scripted server need of each other and of the simulation.
import type { Life } from "../life";
import type { StoreFault } from "../simulated-database";
import type { Session } from "./session";

/** A process of the simulation, as the server and the network see it. */
export interface Client {
  readonly name: string;
  readonly life: Life;
  /**
   * `full`: its statements find no room; `locked`: it does not get the lock; `refused`: its connections break, and it gets no
   * other; `silent`: its packets are lost; `slow`: they take long.
   */
  readonly fault: StoreFault | undefined;
  /** The simulation reads: nothing happens to it. */
  readonly isObserved: boolean;
  /** An answer arrives: false if the process is frozen just before. */
  passes(): boolean;
  /** Something disturbs its work with the database. */
  disturbed(): void;
  /** A commit of the records has succeeded, or the engine has refused a write. */
  committed(): void;
  refused(): void;
}

export interface ServerParts {
  below(limit: number): number;
  of<T>(values: readonly T[]): T;
  /** Milliseconds of the simulation. */
  now(): number;
  after(ms: number, callback: () => void): () => void;
  turn(): number;
  /** Something may be ready now. */
  kick(): void;
  notify(sessions: readonly Session[]): void;
  /** Whether the server works on what this session has asked, or has until lately. */
  works(session: number): boolean;
  /** Ends a session that is idle inside of a transaction. */
  endIdle(session: number): boolean;
  found(invariant: string, detail: string): void;
}
