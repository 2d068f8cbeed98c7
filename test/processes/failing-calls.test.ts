// System calls of a running server that fail, as on a broken disk: a tracer injects the errors.
import { expect, onTestFinished } from "bun:test";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { testWith } from "../support/require";
import { type SecretsServer, startSecretsServer, upsert } from "../support/secrets-peer";
import { temporaryFolder } from "../support/temporary";

const hasStrace = Bun.which("strace") !== null;
const WRITES = 10;

/** Lets system calls of a process fail until the returned function is called. */
async function failing(pid: number, calls: string): Promise<() => Promise<void>> {
  const command = ["strace", "-f", "-p", String(pid), "-e", `inject=${calls}:error=EIO`, "-o", "/dev/null"];
  const tracer = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  onTestFinished(() => tracer.kill("SIGKILL"));
  const reader = tracer.stderr.getReader();
  let printed = "";
  while (!printed.includes("attached")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the tracer ended: ${printed}`);
    printed += new TextDecoder().decode(value);
  }
  return async () => {
    // It detaches.
    tracer.kill("SIGTERM");
    await tracer.exited;
  };
}

/** Stores secrets one by one; returns the names of those that were acknowledged. */
async function storeSome(server: SecretsServer, prefix: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let number = 0; number < WRITES; number++) {
    const name = `${prefix}_${number}`;
    if (await upsert(server, name, `value of ${name}`)) acknowledged.push(name);
  }
  return acknowledged;
}

async function health({ url }: SecretsServer): Promise<number> {
  const { status } = await fetch(`${url}/v1/health`);
  return status;
}

testWith("strace", hasStrace).each([
  ["synced", "fsync,fdatasync"],
  ["written", "pwrite64"],
])(
  "a database that cannot be %s is unhealthy, acknowledges nothing, and loses nothing",
  async (_what, calls) => {
    const folder = temporaryFolder();
    const first = await startSecretsServer(folder);
    const before = await storeSome(first, "BEFORE");
    const end = await failing(first.pid, calls);
    const during = await storeSome(first, "DURING");
    const bad = await health(first);
    await end();
    const after = await storeSome(first, "AFTER");
    const good = await health(first);
    await first.kill();
    const runtime = await createRuntime(loadConfig({ environment: { HOME: folder } }), NO_EXTENSIONS, {
      log: silentLog,
    });
    const lost = [];
    for (const name of [...before, ...during, ...after])
      if ((await runtime.secrets.value("default", name)) !== `value of ${name}`) lost.push(name);
    await runtime.close();

    expect([before.length, during.length, after.length]).toEqual([WRITES, 0, WRITES]);
    expect([bad, good]).toEqual([503, 200]);
    expect(lost).toEqual([]);
  },
  60_000,
);
