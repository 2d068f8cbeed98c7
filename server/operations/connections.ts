// Administration of what users have granted.
import { pageOf } from "../../src/base";
import { ConnectionsQuery, UserAuthProviderConnectionResponse } from "../../src/connections";
import { operation } from "./operation";

const tag = "Administration";

export const connectionOperations = [
  operation({
    id: "auth-connections-list",
    method: "GET",
    path: "/v1/admin/user_connections",
    tag,
    summary: "List the connections of users",
    credential: ["admin", "read"],
    query: ConnectionsQuery,
    success: { status: 200, schema: pageOf(UserAuthProviderConnectionResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.connections.listing(principal, query),
  }),
  operation({
    id: "auth-connections-delete",
    method: "DELETE",
    path: "/v1/admin/user_connections/{id}",
    tag,
    summary: "Forget a connection: the user must consent again",
    credential: ["admin"],
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.connections.delete(principal, path("id")),
  }),
];
