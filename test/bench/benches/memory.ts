// Resident memory of the server, after start and under load.
import { join } from "node:path";
import type { Bench, Context } from "../bench";
import { atMost } from "../bound";
import { CONNECTIONS, load } from "../compare";
import { createDeployment, type Deployment, PROVIDER } from "../deployment";
import type { HttpRequest } from "../load/job";
import { chosenServer, type Served, startServer } from "../server-under-test";
import { residentMemory } from "../system";

const IDLE_MS = 2000;
const SAMPLE_MS = 50;

export const memory: Bench = {
  name: "memory",
  about: "resident memory, idle and under load",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "memory"), 1000);
    const server = await startServer(context, deployment);
    await Bun.sleep(IDLE_MS);
    const idle = residentMemory(server.pid);
    const loaded = await highest(context, server, deployment);
    await server.stop();
    const kind = chosenServer(context.options.server);
    const note = idle === undefined ? "this system does not tell" : `${kind}, ${CONNECTIONS} connections`;
    return [row("memory-idle", idle, 65, kind), row("memory-load", loaded, 120, note)];
  },
};

function row(name: string, figure: number | undefined, bound: number, note: string) {
  const base = { name, baseline: "", bound: atMost(bound, "MB"), note };
  return figure === undefined
    ? { ...base, measured: "" }
    : { ...base, measured: `${figure.toFixed(1)} MB`, figure };
}

/** The highest resident memory during simultaneous requests of all kinds. */
async function highest(
  context: Context,
  { port, pid }: Served,
  deployment: Deployment,
): Promise<number | undefined> {
  let most = residentMemory(pid);
  const timer = setInterval(() => {
    most = most === undefined ? undefined : Math.max(most, residentMemory(pid) ?? 0);
  }, SAMPLE_MS);
  try {
    await load(context, { ours: { port, pid, requests: mixture(deployment) } }, { polls: false });
    return most;
  } finally {
    clearInterval(timer);
  }
}

function mixture({ key, users }: Deployment): HttpRequest[] {
  const body = { value: "x".repeat(1000) };
  return users.slice(0, 100).flatMap(({ connectionId, userId }, number): HttpRequest[] => [
    { path: `/v1/admin/auth_providers/${PROVIDER}`, key },
    { path: "/v1/admin/user_connections?limit=25", key },
    { path: `/v1/tools?limit=100&user_id=${encodeURIComponent(userId)}`, key },
    { path: `/v1/auth/status?id=${connectionId}`, key },
    { method: "POST", path: `/v1/admin/secrets/BENCH_${number}`, key, body },
  ]);
}
