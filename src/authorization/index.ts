// Consent flows, from the request for scopes to the stored grant.
export { Consent } from "./consent";
export { sealedFlows } from "./flow";
export type { GivenKey } from "./keys";
export { type OperatorKey, OperatorKeys } from "./operator-keys";
export { type ConsentParties, isUnknownSecret, KEY_PROBLEMS, type KeyProblem, type Outcome } from "./outcome";
export { reasonForPerson } from "./reason-for-person";
export {
  type CallbackCheck,
  PageAuthorization,
  type PageAuthorizationRequest,
  type PageExchange,
} from "./page-authorization";
export type { NewGrant } from "./finish";
export { endOfFlow, type FlowEnd } from "./flow-end";
export { checkNextUri } from "./next-uri";
export { endFlowsOfProvider, endFlowsOfUser } from "./end-of-provider";
export type { Authorization, AuthorizationInitiation } from "./schema";
export type { SignedInAs } from "./visitor";
export { userCheckOf } from "./user-check";
export { AuthorizationService, type PendingConsents, type ScopesRequest } from "./service";
