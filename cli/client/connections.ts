// What users have granted, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { UserConnection } from "../../src/connections";
import { capability } from "./client";
import { path } from "./http";

export interface ConnectionsFilter {
  provider_id?: string;
  user_id?: string;
  limit?: number;
  offset?: number;
}

const CONNECTIONS = "/v1/admin/user_connections";

export const listConnections = capability<[filter: ConnectionsFilter], Page<UserConnection>>({
  direct: ({ runtime, principal }, filter) => runtime.connections.list(principal, filter),
  remote: (server, filter) => server.get(CONNECTIONS, { ...filter }),
});

export const deleteConnection = capability<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.connections.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${CONNECTIONS}/`, id)),
});
