// Connections: what users have granted at providers.
export { endConnectionsOfProvider, removeConnections } from "./repository";
export type { ConnectionsFilter, UserConnection } from "./schema";
export { type GivenUp, givenUpGrants, sentOrders } from "./erased-user";
export { LeavingGrants } from "./leaving";
export type { LiveGrant } from "./live";
export type { OwnConnection } from "./own";
export { Connections, type GrantState, type RenewedGrant } from "./service";
export { openHeldGrant, placeOfGrant, sealHeldGrant } from "./held-grant";
export { RefusedGrantError } from "./refused-grant";
export type { Owner } from "./revocations";
export { splitScopes, TokenRequestError } from "./token-answer";
export { exchangeCode, type TokenGrant } from "./token-request";
export { basicCredentials, keyFrom, MOST_KEY_CHARACTERS, testKey } from "./key-test";
export { missingScopes, unionOfScopes } from "./scopes";
export { openAccountInfo, sealedConnections } from "./tokens";
