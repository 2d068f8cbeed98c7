// Starts programs without a cage and a supervisor, for tests of what is done with their processes.
import { mkdirSync } from "node:fs";
import { reveal } from "../../../src/base";
import type { Programs, ProcessSpec, RunningProgram } from "../../../src/workers/stdio";

export interface PlainPrograms extends Programs {
  /** What was started, in order. */
  readonly started: ProcessSpec[];
  readonly running: RunningProgram[];
}

const MOST_LINES = 20;

export function plainPrograms(): PlainPrograms {
  const started: ProcessSpec[] = [];
  const running: RunningProgram[] = [];
  const end = async (program: RunningProgram): Promise<void> => {
    await program.end();
  };
  return {
    started,
    running,
    start: async (spec: ProcessSpec) => {
      started.push(spec);
      const program = plainProgram(spec);
      running.push(program);
      void program.ended.then(() => running.splice(running.indexOf(program), 1));
      return program;
    },
    close: async () => {
      await Promise.all(running.map(end));
    },
  };
}

function plainProgram({ command, arguments: given, environment, home }: ProcessSpec): RunningProgram {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const values = Object.entries(environment).map(([name, value]) => [name, reveal(value)]);
  const child = Bun.spawn([command, ...given.map(reveal)], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...Object.fromEntries(values) },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const hidden = values.flatMap(([, value]) =>
    value !== undefined && value.includes("CANARY") ? [value] : [],
  );
  const lines: string[] = [];
  void keep(child.stderr, (line) =>
    lines.push(hidden.reduce((text, one) => text.replaceAll(one, "[secret]"), line)),
  );
  const ended = child.exited.then(() => ({
    code: child.exitCode,
    signal: child.signalCode === null ? null : String(child.signalCode),
  }));
  return {
    id: crypto.randomUUID(),
    pid: child.pid,
    output: child.stdout,
    lastErrors: () => lines.slice(-MOST_LINES),
    ended,
    write: async (line) => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error("the program has ended");
      child.stdin.write(`${line}\n`);
      await child.stdin.flush();
    },
    end: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function keep(errors: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of errors)
    for (const line of decoder.decode(bytes, { stream: true }).split("\n")) if (line !== "") take(line);
}
