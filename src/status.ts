// The status of a deployment for the administrator of a project.
import { type Static, Type } from "typebox";
import type { Principal } from "./identity";
import type { Runtime } from "./runtime";

export const StatusResponse = Type.Object({
  version: Type.String(),
  healthy: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  public_url: Type.String({ description: "The address at which browsers reach the server." }),
  project_id: Type.String(),
  tools: Type.Integer(),
  workers: Type.Integer(),
  providers: Type.Integer(),
  secrets: Type.Integer(),
  keys: Type.Integer(),
  connections: Type.Integer(),
});

export type Status = Static<typeof StatusResponse>;

/** `version`: that of the program. */
export async function statusOf(runtime: Runtime, principal: Principal, version: string): Promise<Status> {
  const [health, tools, workers, providers, secrets, keys, connections] = await Promise.all([
    runtime.health(),
    runtime.tools.listings.list(principal, { limit: 1 }),
    runtime.workers.list(principal, { limit: 1 }),
    runtime.providers.list(principal),
    runtime.secrets.list(principal),
    runtime.identity.listKeys(principal),
    visibleConnections(runtime, principal),
  ]);
  return {
    version,
    ...health,
    public_url: runtime.core.publicUrl(),
    project_id: principal.projectId,
    tools: tools.total_count,
    workers: workers.total_count,
    providers: providers.total_count,
    secrets: secrets.total_count,
    keys: keys.total_count,
    connections,
  };
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
