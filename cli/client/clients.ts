// Clients that people have allowed something, on the data folder and over HTTP.
import type { ClientList, RevokedClient } from "../../src/people";
import { operation } from "./client";

const CLIENTS = "/v1/admin/clients";

export const listClients = operation<[], ClientList>({
  direct: ({ runtime, principal }) => runtime.authorizationServer.directory.list(principal),
  remote: (server) => server.get(CLIENTS),
});

export const revokeClient = operation<[id: string], RevokedClient>({
  direct: ({ runtime, principal }, id) => runtime.authorizationServer.directory.revoke(principal, id),
  remote: (server, id) => server.send("POST", `${CLIENTS}/revoke`, { id }),
});
