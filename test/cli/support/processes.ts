// Command lines as separate processes.
import { join } from "node:path";
import { onTestFinished } from "bun:test";

export const MAIN = join(import.meta.dir, "..", "..", "..", "cli", "main.ts");

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  env?: Record<string, string>;
  /** Text, which is written and closed, or `silent`: an open pipe without input. Default: empty. */
  stdin?: string | Uint8Array | "silent";
}

/** Runs one command line to its end. It inherits only the path of this process's environment. */
export async function runProcess(
  argv: readonly string[],
  { env = {}, stdin = "" }: StartOptions = {},
): Promise<Ended> {
  const child = Bun.spawn([process.execPath, MAIN, ...argv], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdin: stdin === "silent" ? "pipe" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code: child.exitCode, stdout, stderr };
}

/** The same through a shell: `$runtime` is the command line. */
export async function runShell(script: string, env: Record<string, string> = {}): Promise<Ended> {
  const text = `set -o pipefail; runtime() { "${process.execPath}" "${MAIN}" "$@"; }; ${script}`;
  const child = Bun.spawn(["bash", "-c", text], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code: child.exitCode, stdout, stderr };
}

export interface AtTerminal {
  /** Resolves when the screen shows this text; rejects after ten seconds. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  exited: Promise<number>;
  screen(): string;
}

/** Runs a command line at a real (pseudo) terminal. */
export function startAtTerminal(argv: readonly string[], env: Record<string, string>): AtTerminal {
  let screen = "";
  const child = Bun.spawn([process.execPath, MAIN, ...argv], {
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", ...env },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, bytes) => void (screen += new TextDecoder().decode(bytes)),
    },
  });
  onTestFinished(() => child.kill("SIGKILL"));
  return {
    shows: async (text) => {
      for (const end = Date.now() + 10_000; !screen.includes(text); await Bun.sleep(10)) {
        if (Date.now() > end || child.exitCode !== null) throw new Error(`not shown: ${text}\n${screen}`);
      }
    },
    type: (keys) => void child.terminal?.write(keys),
    exited: child.exited,
    screen: () => screen,
  };
}

/** The first line of a stream, which is read on so that its writer is never blocked. */
export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const reader = stream.getReader();
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`it ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  // Keep reading, so that the server is never blocked.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return text.split("\n", 1)[0] ?? "";
}
