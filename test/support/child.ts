// Runs a script as a process of its own and reads what it prints, line by line.
import { onTestFinished } from "bun:test";

export interface Child {
  /** The next line of its standard output; undefined at its end. */
  line(): Promise<string | undefined>;
  /** All lines from here to the end. */
  rest(): Promise<string[]>;
  /** Lets a child that waits on its standard input go on. */
  go(): void;
  /** The exit code, or undefined when a signal ended it. */
  exited: Promise<number | undefined>;
  /** kill -9. */
  kill(): void;
}

/** Starts `bun script ...args`; whatever is still running when the test is over is killed. */
export function startChild(script: string, ...args: string[]): Child {
  return startCommand([process.execPath, script, ...args]);
}

/** The same as `startChild`, on a disk that is full once a file has `blocks` of 512 or 1024 bytes. */
export function startChildOnFullDisk(blocks: number, script: string, ...args: string[]): Child {
  const limit = `ulimit -f ${blocks}; exec "$0" "$@"`;
  return startCommand(["sh", "-c", limit, process.execPath, script, ...args]);
}

function startCommand(command: string[]): Child {
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  onTestFinished(() => child.kill("SIGKILL"));
  const lines = linesOf(child.stdout);
  const line = async (): Promise<string | undefined> => (await lines.next()).value;
  return {
    line,
    rest: async () => {
      const rest: string[] = [];
      for (let next = await line(); next !== undefined; next = await line()) rest.push(next);
      return rest;
    },
    go: () => {
      child.stdin.write("go\n");
      child.stdin.flush();
    },
    exited: child.exited.then(() => child.exitCode ?? undefined),
    kill: () => child.kill("SIGKILL"),
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
  if (rest !== "") yield rest;
  return undefined;
}
