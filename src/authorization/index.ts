// Consent: from the wish for scopes to a stored grant.
export { Consent } from "./consent";
export { sealedFlows } from "./flow";
export type { Outcome } from "./outcome";
export { failFlowsOfProvider } from "./repository";
export {
  type Authorization,
  AUTHORIZATION_STATUSES,
  type AuthorizationInitiation,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
  AuthStatusQuery,
  NextUri,
  UserId,
} from "./schema";
export { AuthorizationService, type ScopesRequest } from "./service";
export { isLoopback } from "./user-check";
