// Connections: what users have granted at providers.
export { removeConnectionsOfProvider } from "./repository";
export {
  ConnectionsQuery,
  type ConnectionsFilter,
  type UserConnection,
  UserAuthProviderConnectionResponse,
} from "./schema";
export { Connections, type GrantState, type LiveGrant } from "./service";
export { splitScopes } from "./token-answer";
export { exchangeCode, type TokenGrant } from "./token-request";
export { TokenRequestError } from "./token-request-error";
export { missingScopes, unionOfScopes } from "./scopes";
export { sealedConnections } from "./tokens";
