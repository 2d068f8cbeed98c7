// `runtime sandbox` as a process of its own.
import { join } from "node:path";

export const FROM_SOURCE = [process.execPath, join(import.meta.dir, "..", "..", "cli", "main.ts")];

/** What `-o json` prints. */
export interface Printed {
  address: string;
  admin_key: string;
  run_key: string;
  config_file: string;
  data_dir: string;
  data: string;
  commands: string[];
  gateway: string;
  model: string;
  mcp: { mcpServers: Record<string, { type: string; url: string; headers: Record<string, string> }> };
  upstreams: { openapi: string; mcp: string };
}

export interface SandboxProcess extends AsyncDisposable {
  readonly printed: Printed;
  /** All of standard error so far. */
  notes(): string;
  /** Ends it by a signal; resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Starts it and waits until it is ready. Rejects with its errors if it ends. */
export async function startSandboxProcess(
  program: readonly string[],
  args: readonly string[],
  env: Environment,
): Promise<SandboxProcess> {
  const command = [...program, "sandbox", ...args, "-o", "json"];
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let notes = "";
  const reading = (async () => {
    for await (const piece of child.stderr) notes += new TextDecoder().decode(piece);
  })();
  let text = "";
  for await (const piece of child.stdout.values({ preventCancel: true })) {
    text += new TextDecoder().decode(piece);
    if (text.endsWith("}\n")) break;
  }
  if (text === "") {
    await reading;
    throw new Error(`The sandbox ended with ${await child.exited}: ${notes}`);
  }
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number> => {
    child.kill(signal);
    return child.exited;
  };
  return {
    printed: JSON.parse(text) as Printed,
    notes: () => notes,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")),
  };
}

/** Runs a line as a person who pastes it. */
export async function paste(line: string, env: Environment): Promise<Ran> {
  return finished(["sh", "-c", line], env);
}

/** Runs `runtime sandbox` where it should not start; one that starts is ended. */
export async function startRefused(command: readonly string[], env: Environment): Promise<Ran> {
  const child = Bun.spawn([...command], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const stderr = child.stderr.text();
  let stdout = "";
  for await (const piece of child.stdout) {
    stdout += new TextDecoder().decode(piece);
    child.kill("SIGKILL");
  }
  return { code: await child.exited, stdout, stderr: await stderr };
}

export async function finished(command: readonly string[], env: Environment): Promise<Ran> {
  const child = Bun.spawn([...command], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}
