// People who sign in: sessions of browsers, and who somebody is in a project.
export { type ClientGrant, OwnClients } from "./own-clients";
export type {
  BrowserSession,
  BrowserSessions,
  EndedSessions,
  Invitation,
  InvitationLink,
  PersonChange,
  PersonRecord,
  PersonState,
  RemovedPerson,
} from "./schema";
export type { Browser } from "./browser";
export { Invitations, type OpenedLink } from "./invitations";
export { type RelyingParty, relyingPartyOf } from "./passkeys/relying-party";
export type { Passkey } from "./passkeys/schema";
export { type NewPasskey, Passkeys } from "./passkeys/service";
export { SIGN_IN_METHODS, type SignInMethod } from "../identity";
export type { SessionMethod } from "./terms";
export { type NewSession, Sessions, type SignedIn } from "./sessions";
export {
  type Admission,
  type PeopleWithGroups,
  API_RESOURCE,
  API_SCOPE,
  type Answering,
  type AskingClient,
  AuthorizationServer,
  type AuthorizationRequest,
  type Call,
  type CallAnswer,
  type ClientList,
  type ClientRecord,
  GATEWAY_SCOPE,
  type KnownPeople,
  METADATA_PATH,
  ownTokensOf,
  PATHS,
  type ProtectedResource,
  RegistrationError,
  type Resources,
  type RevokedClient,
  sealedClients,
  sealedItems,
  type TokenClaims,
  TokenVerifier,
} from "./authorization-server";
export { sealedIdentities } from "./identity-repository";
export { endAccess, endOfOtherMethods } from "./end-access";
export { methodOfDeployment } from "./methods";
export { type PeopleServices, peopleServices } from "./compose";
export { returnPath, signInPath } from "./return-path";
export type { People } from "./service";
export { canUsePasskeys, signInFault, signInNote } from "./workable";
export type { SignIn, SigningIn, SignInOutcome } from "./sign-in";
