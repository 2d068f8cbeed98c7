// Starts the HTTP worker that is written in Python, with Debian's packages.
import { onTestFinished } from "bun:test";
import { join } from "node:path";
import { SECRET } from "../../workers/http/driver";

/** Debian's, which finds Debian's packages. */
export const PYTHON = "/usr/bin/python3";

/** Whether Python and its packages are there. */
export function hasPythonWorker(): boolean {
  const imports = Bun.spawnSync([PYTHON, "-c", "import fastapi, uvicorn, jwt"], { stderr: "ignore" });
  return imports.success;
}

export interface PythonWorker {
  /** Without the prefix of the protocol. */
  uri: string;
  /** The calls that arrived, as they were sent. */
  seen(): Promise<SeenCall[]>;
}

export interface SeenCall {
  run_id: string;
  execution_id: string;
  created_at: string;
  tool: { name: string; toolkit: string; version?: string };
  inputs: { [name: string]: unknown };
  context: { [name: string]: unknown };
}

/** A worker until the test is over. `age`: of the protocol. */
export async function startPythonWorker(age: "new" | "2025-01" = "new"): Promise<PythonWorker> {
  const worker = await runPythonWorker(age);
  onTestFinished(() => worker[Symbol.asyncDispose]());
  return worker;
}

export async function runPythonWorker(
  age: "new" | "2025-01" = "new",
): Promise<PythonWorker & AsyncDisposable> {
  const child = Bun.spawn([PYTHON, join(import.meta.dir, "http-worker.py")], {
    env: { WORKER_SECRET: SECRET, WORKER_AGE: age, PYTHONDONTWRITEBYTECODE: "1" },
    stdout: "pipe",
    stderr: "ignore",
  });
  const first = await child.stdout.getReader().read();
  const uri = `http://127.0.0.1:${Number(new TextDecoder().decode(first.value))}`;
  return {
    uri,
    // The worker writes what it has read.
    seen: async () => (await (await fetch(`${uri}/seen`)).json()) as SeenCall[],
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
