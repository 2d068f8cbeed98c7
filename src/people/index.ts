// People who sign in: sessions of browsers, and who somebody is in a project.
export type {
  BrowserSession,
  Invitation,
  InvitationLink,
  PersonChange,
  PersonRecord,
  PersonState,
  RemovedPerson,
} from "./schema";
export type { Browser } from "./browser";
export { Invitations, type OpenedLink } from "./invitations";
export { type EndedAccess, endAccess } from "./people-repository";
export { canHavePasskeys, type RelyingParty, relyingPartyOf } from "./passkeys/relying-party";
export type { Passkey } from "./passkeys/schema";
export { type NewPasskey, Passkeys } from "./passkeys/service";
export { SIGN_IN_METHODS, type SessionMethod, type SignInMethod } from "./terms";
export { type NewSession, Sessions, type SignedIn } from "./sessions";
export { type PeopleServices, peopleServices } from "./services";
