// The authorization server: OAuth for clients that act for people who sign in.
export { type PeopleWithGroups } from "./admission";
export type { Call, CallAnswer } from "./call";
export { COMMAND_LINE, type ClientOrigin, originOf } from "./clients";
export { sealedClients } from "./client-repository";
export { METADATA_PATH, PATHS } from "./endpoints";
export { type GrantRow } from "./grant-repository";
export { ClientGrants, type Person, type SignedInPerson } from "./grants";
export { sealedItems } from "./item-repository";
export { type KnownPeople, ownTokensOf } from "./own-tokens";
export { RegistrationError } from "./registration";
export type { AskingClient, AuthorizationRequest } from "./requests";
export type { Admission, ProtectedResource, Resources } from "./resources";
export { type Answering, AuthorizationServer } from "./service";
export { API_RESOURCE, API_SCOPE, GATEWAY_SCOPE } from "./terms";
export { type TokenClaims, TokenVerifier } from "./token-verifier";
export type { ClientList, ClientRecord, RevokedClient } from "./schema";
