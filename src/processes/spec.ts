// What a caller says about a program, and what it gets back.
import type { Redacted } from "../base";

export interface ProcessLimits {
  /** Resident memory of the program and everything that it started. Default: 2 GiB. */
  memoryBytes?: number;
  /** Programs that may run at the same time: this one and those that it started. Default: 256. */
  processes?: number;
  /** Open files of each program. Default: 4,096. */
  files?: number;
}

export interface ProcessSpec {
  /** An absolute path, or a name that is looked up in PATH. */
  command: string;
  arguments: readonly (string | Redacted)[];
  /** Everything that the program gets. PATH, HOME, TMPDIR and LANG are set by the host unless they are here. */
  environment: Readonly<Record<string, string | Redacted>>;
  /** A folder of its own: HOME and working folder, with TMPDIR and caches inside. Created with mode 0700. */
  home: string;
  /** `none`: without Landlock and seccomp. Limits and supervision are the same. */
  sandbox: "cage" | "none";
  /** Absolute paths that the program may read and run, in addition to the system's folders and `home`. */
  read: readonly string[];
  /** Absolute paths that it may also change. A Unix socket in this list allows Unix sockets. */
  write: readonly string[];
  limits?: ProcessLimits;
}

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  /** Why we ended it, in words for an operator. Absent if it ended by itself or was asked to. */
  reason?: string;
}

export interface RunningProcess {
  /** Random, of this start. */
  readonly id: string;
  readonly pid: number;
  /** Standard output. Read only as fast as the consumer reads. Read it to its end, or call `end`. */
  readonly output: ReadableStream<Uint8Array>;
  /**
   * Writes a line to standard input; the newline is added. Resolves when the program's pipe has taken it. Rejects after the
   * end, and when more than 16 MB wait because the program does not read.
   */
  write(line: string): Promise<void>;
  /** The last lines of standard error, at most 20 of 1,000 characters, without the values that were `Redacted`. */
  lastErrors(): string[];
  /** Resolves when the program and everything that it started are gone. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes standard input, sends SIGTERM 0.3 s later, and kills what is left after 3 s. Resolves when nothing is left. */
  end(): Promise<void>;
}

/** The program was not started. The message tells an operator what to change. */
export class ProcessRefused extends Error {
  override readonly name = "ProcessRefused";
}
