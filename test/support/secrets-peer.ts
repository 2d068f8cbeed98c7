// Drives `secrets-server.ts`: starts it (perhaps under a tracer), reads its first line, upserts secrets.
import { join } from "node:path";

export interface SecretsServer {
  url: string;
  key: string;
  pid: number;
  kill(): Promise<void>;
}

export async function startSecretsServer(
  folder: string,
  before: readonly string[] = [],
  args: readonly string[] = [],
): Promise<SecretsServer> {
  const child = Bun.spawn(
    [...before, process.execPath, join(import.meta.dir, "secrets-server.ts"), ...args],
    {
      env: { PATH: process.env["PATH"], HOME: folder, RUNTIME_PORT: "0" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const reader = child.stdout.getReader();
  let printed = "";
  while (!printed.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the server ended before it was ready");
    printed += new TextDecoder().decode(value);
  }
  const [url = "", key = "", pid = ""] = printed.trim().split(" ");
  return {
    url,
    key,
    pid: Number(pid),
    kill: async () => {
      // The server itself: under a tracer the child is the tracer, and would leave the server behind.
      process.kill(Number(pid), "SIGKILL");
      await child.exited;
    },
  };
}

/** Upserts one secret; whether that was acknowledged. A server that dies in between rejects. */
export async function upsert({ url, key }: SecretsServer, name: string, value: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/admin/secrets/${name}`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify({ value }),
  });
  await response.arrayBuffer();
  return response.ok;
}
