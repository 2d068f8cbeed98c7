// Starts the measured server as a process: the executable if it was built, otherwise from source.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "./bench";
import { SERVER_CORE } from "./children";
import type { Deployment } from "./deployment";
import type { ServerChoice } from "./options";

export const ROOT = join(import.meta.dir, "../..");
export const EXECUTABLE = join(ROOT, "dist/runtime");

const START_MS = 20_000;
const POLL_MS = 5;

export interface Served {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** The server of `auto`. */
export function chosenServer(choice: ServerChoice): Exclude<ServerChoice, "auto"> {
  if (choice !== "auto") return choice;
  if (existsSync(EXECUTABLE)) return "executable";
  return existsSync(join(ROOT, "cli/serve.ts")) ? "source" : "bench";
}

/** `upstream`: uses the bench's server with the bench's tool. */
export function serverCommand(choice: ServerChoice, upstream?: string): string[] {
  const bench = [process.execPath, join(import.meta.dir, "server.ts")];
  if (upstream !== undefined) return [...bench, upstream];
  const commands = {
    executable: [EXECUTABLE, "serve"],
    source: [process.execPath, join(ROOT, "cli/main.ts"), "serve"],
    bench,
  };
  return commands[chosenServer(choice)];
}

/** Starts the server on a deployment and waits for its first answer. Throws with its log on failure. */
export async function startServer(
  { children, options }: Context,
  deployment: Deployment,
  { upstream, core = SERVER_CORE }: { upstream?: string; core?: number | undefined } = {},
): Promise<Served> {
  const port = freePort();
  const log = join(deployment.folder, "server.log");
  const environment = { ...deployment.environment, RUNTIME_PORT: String(port) };
  const child = children.spawn(serverCommand(options.server, upstream), {
    core,
    environment,
    errorFile: log,
  });
  const until = performance.now() + START_MS;
  while (!(await healthy(port))) {
    if (child.exitCode() !== null || performance.now() > until) {
      await child.stop();
      throw new Error(`the server did not start: ${readFileSync(log, "utf8").slice(-2000)}`);
    }
    await Bun.sleep(POLL_MS);
  }
  return { port, pid: child.pid, stop: () => child.stop() };
}

export async function healthy(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/health`);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** A free port. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** The body of one answer. Throws unless it is 200. */
export async function answerOf({ port }: Served, path: string, key: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`);
  return text;
}
