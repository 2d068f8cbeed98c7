// Clients that people have allowed something. Their ids may be addresses, so they are in bodies. Not part of the published
// contract.
import {
  ClientsResponse,
  RevokeClientRequest,
  RevokedClientResponse,
} from "../../src/people/authorization-server/schema";
import { operation } from "./operation";

const tag = "Administration";

export const clientOperations = [
  operation("GET", "/v1/admin/clients", {
    id: "clients-list",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "List the clients that people have allowed something, with by whom and for which gateway",
    success: { status: 200, schema: ClientsResponse },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.authorizationServer.directory.list(principal),
  }),
  operation("POST", "/v1/admin/clients/revoke", {
    id: "clients-revoke",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "End everything that people have allowed a client, from the next request on",
    body: RevokeClientRequest,
    success: { status: 200, schema: RevokedClientResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, body }) =>
      runtime.authorizationServer.directory.revoke(principal, body.id),
  }),
];
