// People who sign in: sessions of browsers, and who somebody is in a project.
export { type ClientGrant, OwnClients } from "./own-clients";
export type { BrowserSession, Invitation, InvitationLink, PersonRecord } from "./schema";
export { SIGN_IN_METHODS, type SessionMethod, type SignInMethod } from "./terms";
export { type NewSession, Sessions, type SignedIn } from "./sessions";
