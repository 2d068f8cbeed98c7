// A fake environment of a command: collects its output and answers its prompts from a list.
import type { Environment, Io } from "../../../cli/io";
import { plainPaint } from "../../../cli/io";
import { main } from "../../../cli/program";
import type { Json } from "../../../src/base";
import { temporaryFolder } from "../../support/temporary";

export interface FakeIoOptions {
  env?: Environment;
  /** Answers to prompts, in order; makes the terminal interactive. */
  answers?: readonly (string | boolean | Error)[];
  stdin?: string | Uint8Array;
  columns?: number;
  /** Collects transient lines; makes standard error a terminal. */
  transient?: (line: string) => void;
  /** Presses Ctrl-C as soon as this is true. */
  stops?: () => boolean;
  /** The browser, which receives every address. */
  browser?: (address: string) => void;
}

export interface FakeIo extends Io {
  readonly stdout: string;
  readonly stderr: string;
  /** The prompts so far. */
  readonly prompted: readonly string[];
  /** How often standard input was read. */
  readonly reads: number;
}

export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const printed = { out: "", notes: "", reads: 0 };
  const prompted: string[] = [];
  const answers = [...(options.answers ?? [])];
  const answer = async (question: string): Promise<string | boolean> => {
    prompted.push(question);
    const next = answers.shift();
    if (next === undefined) throw new Error(`unexpected question: ${question}`);
    if (next instanceof Error) throw next;
    return next;
  };
  return {
    env: options.env ?? {},
    out: (text) => void (printed.out += text),
    note: (line) => void (printed.notes += `${line}\n`),
    transient: options.transient,
    paint: plainPaint,
    notePaint: plainPaint,
    columns: options.columns,
    interactive: options.answers !== undefined,
    prompts: {
      ask: async (message) => String(await answer(message)),
      secret: async (message) => String(await answer(message)),
      confirm: async (message) => (await answer(message)) === true,
    },
    stdin: async () => {
      printed.reads++;
      return typeof options.stdin === "string"
        ? new TextEncoder().encode(options.stdin)
        : (options.stdin ?? new Uint8Array());
    },
    async *stdinLines() {
      yield* String(options.stdin ?? "").split("\n");
    },
    openBrowser: (address) => {
      options.browser?.(address);
      return options.browser !== undefined;
    },
    onStop: (handler) => void stopWhen(options.stops, handler),
    beforeOutput: () => undefined,
    get stdout() {
      return printed.out;
    },
    get stderr() {
      return printed.notes;
    },
    get reads() {
      return printed.reads;
    },
    prompted,
  };
}

async function stopWhen(isDue: FakeIoOptions["stops"], stop: () => void): Promise<void> {
  if (isDue === undefined) return;
  while (!isDue()) await Bun.sleep(2);
  stop();
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  io: FakeIo;
}

/** Runs command lines in a new home folder, in this process. Call it inside a test. */
export function newTerminal(env: Environment = {}) {
  const home = temporaryFolder();
  const run = async (argv: readonly string[], options: FakeIoOptions = {}): Promise<Ran> => {
    const io = fakeIo({ ...options, env: { HOME: home, ...env, ...options.env } });
    const code = await main(argv, io);
    return { code, stdout: io.stdout, stderr: io.stderr, io };
  };
  return { home, env: { HOME: home, ...env }, run };
}

/** The standard output of a command, parsed as exactly one JSON value. */
export function jsonOf({ stdout }: { stdout: string }): Json {
  return JSON.parse(stdout);
}
