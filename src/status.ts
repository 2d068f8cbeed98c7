// The status of a deployment for the administrator of a project, and for its operator.
import { type Static, Type } from "typebox";
import { MAX_LIMIT } from "./base";
import type { Principal } from "./identity";
import { BackupStateResponse, ServerResponse } from "./own-state";
import { QueuesResponse, queuesOf } from "./queues";
import { schemaVersion } from "./readiness";
import type { Runtime } from "./runtime";
import { VERSION } from "./version";

export const StatusResponse = Type.Object({
  version: Type.String(),
  commit: Type.Optional(Type.String()),
  build_date: Type.Optional(Type.String({ description: "The date of the commit." })),
  healthy: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  public_url: Type.String({ description: "The address at which browsers reach the server." }),
  project_id: Type.String(),
  tools: Type.Integer(),
  workers: Type.Integer(),
  workers_down: Type.Array(Type.String(), {
    description: "Ids of enabled workers whose catalog could not be read last time.",
  }),
  providers: Type.Integer(),
  secrets: Type.Integer(),
  keys: Type.Integer(),
  connections: Type.Integer(),
  queues: QueuesResponse,
  schema: Type.Integer({ description: "The version of the tables." }),
  backup: BackupStateResponse,
  server: Type.Optional(ServerResponse),
});

export type Status = Static<typeof StatusResponse>;

/** Who may see facts about the process, which serves all projects. */
function seesServer(principal: Principal): boolean {
  return principal.kind === "operator" || (principal.kind === "key" && principal.role === "admin");
}

export async function statusOf(runtime: Runtime, principal: Principal): Promise<Status> {
  const [health, tools, workers, down, providers, secrets, keys, connections, queues, schema] =
    await Promise.all([
      runtime.health(),
      runtime.tools.listings.list(principal, { limit: 1 }),
      runtime.workers.list(principal, { limit: 1 }),
      workersDown(runtime, principal),
      runtime.providers.list(principal),
      runtime.secrets.list(principal),
      runtime.identity.listKeys(principal),
      visibleConnections(runtime, principal),
      queuesOf(runtime.core, principal.projectId),
      schemaVersion(runtime.core.store),
    ]);
  const { server, backup } = runtime.ownState;
  return {
    ...VERSION,
    ...health,
    public_url: runtime.core.publicUrl(),
    project_id: principal.projectId,
    tools: tools.total_count,
    workers: workers.total_count,
    workers_down: down,
    providers: providers.total_count,
    secrets: secrets.total_count,
    keys: keys.total_count,
    connections,
    queues,
    schema,
    backup,
    ...(server === undefined || !seesServer(principal) ? {} : { server }),
  };
}

/** From what is stored: no worker is asked. */
async function workersDown({ workers }: Runtime, principal: Principal): Promise<string[]> {
  const down: string[] = [];
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const { items } = await workers.list(principal, { limit: MAX_LIMIT, offset });
    const failed = items.filter(({ enabled, catalog }) => enabled && catalog.error !== undefined);
    down.push(...failed.map(({ id }) => id));
    if (items.length < MAX_LIMIT) return down;
  }
}

/** How many connections the principal may see. A pinned key must list them user by user. */
async function visibleConnections({ connections }: Runtime, principal: Principal): Promise<number> {
  const users = principal.kind === "key" ? principal.users : null;
  const filters = users === null ? [{}] : users.map((user_id) => ({ user_id }));
  const pages = await Promise.all(
    filters.map((filter) => connections.list(principal, { ...filter, limit: 1 })),
  );
  return pages.reduce((sum, { total_count }) => sum + total_count, 0);
}
