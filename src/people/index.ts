// People who sign in: sessions of browsers, and who somebody is in a project.
export type { BrowserSession, Invitation, InvitationLink, PersonRecord } from "./schema";
export { SIGN_IN_METHODS, type SessionMethod, type SignInMethod } from "./terms";
export { type NewSession, Sessions, type SignedIn } from "./sessions";
export {
  type Admission,
  admissionOf,
  peopleOf,
  type PeopleWithGroups,
  API_RESOURCE,
  API_SCOPE,
  type AskingClient,
  AuthorizationServer,
  type AuthorizationRequest,
  type Call,
  type CallAnswer,
  GATEWAY_SCOPE,
  type KnownPeople,
  METADATA_PATH,
  ownTokensOf,
  PATHS,
  type ProtectedResource,
  RegistrationError,
  type Resources,
  sealedClients,
  sealedItems,
  type TokenClaims,
  TokenVerifier,
} from "./authorization-server";
