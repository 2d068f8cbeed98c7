// What this area needs of the processes of this machine (`src/processes`).
import type { Redacted } from "../../base";

export interface ProgramSpec {
  command: string;
  arguments: readonly string[];
  environment: Readonly<Record<string, string | Redacted>>;
  /** A folder of its own: HOME, the working folder, and TMPDIR and caches in it. */
  home: string;
  sandbox: "cage" | "none";
  read: readonly string[];
  write: readonly string[];
}

export interface ProgramEnd {
  code: number | null;
  signal: string | null;
  /** Why it was refused at its start, for an operator. */
  reason?: string;
}

export interface RunningProgram {
  /** Of this start. */
  readonly id: string;
  readonly output: ReadableStream<Uint8Array>;
  /** Rejects after the end. */
  write(line: string): Promise<void>;
  readonly errors: ReadableStream<Uint8Array>;
  lastErrors(): string[];
  readonly ended: Promise<ProgramEnd>;
  /** Resolves when none of its processes is left. */
  end(): Promise<void>;
}

export interface Programs {
  /** Rejects with the reason, for operators. */
  start(spec: ProgramSpec): Promise<RunningProgram>;
  close(): Promise<void>;
}
