// Processes of a bench: pinned to a core if possible, and always stopped at the end.
import { closeSync, openSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The use of each core: servers and baselines on one, load generators on the other. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const STOP_MS = 3000;

export interface SpawnOptions {
  core?: number;
  environment?: Readonly<Record<string, string>>;
  /** The target of its standard error; default: ours. */
  errorFile?: string;
}

export interface Child {
  readonly pid: number;
  /** Its next line on standard output. Throws if it exits or prints nothing for too long. */
  line(timeoutMs: number): Promise<string>;
  send(line: string): void;
  readonly exited: Promise<number>;
  /** Undefined while it runs. */
  exitCode(): number | null;
  stop(): Promise<void>;
}

type Process = Bun.Subprocess<"pipe", "pipe", "inherit" | number>;

export class Children {
  readonly #running = new Set<Process>();

  /** Starts a program with the given environment and `PATH` only. */
  spawn(command: readonly string[], { core, environment = {}, errorFile }: SpawnOptions = {}): Child {
    const stderr = errorFile === undefined ? "inherit" : openSync(errorFile, "a");
    const child: Process = Bun.spawn(pinned(command, core), {
      stdin: "pipe",
      stdout: "pipe",
      stderr,
      env: { PATH: process.env["PATH"] ?? "", ...environment },
    });
    if (typeof stderr === "number") closeSync(stderr);
    this.#running.add(child);
    void child.exited.then(() => this.#running.delete(child));
    return childOf(child);
  }

  /** Kills all processes on exit. */
  kill(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }
}

function childOf(child: Process): Child {
  const lines = linesOf(child.stdout);
  return {
    pid: child.pid,
    exited: child.exited,
    exitCode: () => child.exitCode,
    line: async (timeoutMs) => {
      const next = await inTime(lines.next(), timeoutMs, "a process of the bench printed nothing in time");
      if (next.value === undefined) throw new Error(`a process of the bench ended (${await child.exited})`);
      return next.value;
    },
    send: (line) => {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
    },
    stop: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await child.exited;
      clearTimeout(late);
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

/** Rejects when `work` is not done in time. */
export async function inTime<T>(work: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(message)), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function canPin(): boolean {
  return availableParallelism() > LOAD_CORE && Bun.which("taskset") !== null;
}

// `taskset` replaces itself by the program, so the process that was spawned is the program.
function pinned(command: readonly string[], core: number | undefined): string[] {
  return core === undefined || !canPin() ? [...command] : ["taskset", "-c", String(core), ...command];
}
