// What catalogs may remember between runs and processes. A catalog declares the kinds; the runtime keeps them apart by
// project and owner, seals them, and forgets them in time.
import type { Json } from "../../base";

/** One kind of things that a catalog remembers. */
export interface MemoryKind {
  name: string;
  /**
   * Who shares it. `connection`: one user with one token, for everything that depends on what the user may see.
   * `account`: all users of the project who use the same client for the same account, for what the platform counts there.
   */
  of: "connection" | "account";
}

/** A part of something that is remembered. */
export interface Remembered {
  part: number;
  value: Json;
  /** Milliseconds since the epoch. */
  storedAt: number;
}

/**
 * The memory of a running tool. It is a help, not a duty: a part that cannot be stored or read is missing, and nothing
 * fails. Everything with the same kind and name is forgotten together, `keptMs` after its latest part was stored.
 */
export interface ToolMemory {
  /** The parts from a number on, in order. */
  read(kind: MemoryKind, name: string, from?: number): Promise<Remembered[]>;
  /**
   * Stores a part. With `since`, nothing is stored over the same part of this time or later: of several processes that begin
   * at once, one wins. False if it was not stored.
   */
  write(
    kind: MemoryKind,
    name: string,
    part: Remembered["part"],
    value: Json,
    keptMs: number,
    since?: number,
  ): Promise<boolean>;
  forget(kind: MemoryKind, name: string): Promise<void>;
}

/** For tools without a grant. */
export const NO_MEMORY: ToolMemory = {
  read: async () => [],
  write: async () => false,
  forget: async () => undefined,
};
