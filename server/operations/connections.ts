// Administration of what users have granted.
import { pageOf } from "../../src/base/schema";
import { ConnectionsQuery, UserAuthProviderConnectionResponse } from "../../src/connections/schema";
import { operation } from "./operation";

const tag = "Administration";

export const connectionOperations = [
  operation("GET", "/v1/admin/user_connections", {
    id: "auth-connections-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the connections of users",
    query: ConnectionsQuery,
    success: { status: 200, schema: pageOf(UserAuthProviderConnectionResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.connections.listing(principal, query),
  }),
  operation("GET", "/v1/admin/user_connections/{id}", {
    id: "auth-connections-get",
    extension: true,
    credential: ["admin", "read"],
    tag,
    summary: "Get a connection",
    success: { status: 200, schema: UserAuthProviderConnectionResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.connections.get(principal, path("id")),
  }),
  operation("DELETE", "/v1/admin/user_connections/{id}", {
    id: "auth-connections-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a connection; the user must consent again",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.connections.delete(principal, path("id")),
  }),
];
