// Organizations, projects, API keys and principals.
export { actorOf } from "../audit";
export {
  actFor,
  mayEnd,
  maySee,
  maySend,
  PERSON_ROLES,
  type PersonRole,
  type Principal,
  requireRole,
  type Right,
  type Role,
  ROLES,
  visibleUsers,
} from "./principal";
export type {
  ApiKey,
  ApiKeyCreate,
  ApiKeyRotation,
  Binding,
  Caller,
  Organization,
  Project,
  ProjectPatch,
  RotatedApiKey,
  Workload,
  WorkloadCreate,
} from "./schema";
export { projectBinding } from "./projects";
export type { OwnToken, OwnTokens } from "./own-tokens";
export { SIGN_IN_METHODS, type SignInMethod } from "./sign-in-methods";
export { hasToken, keyPrefixOf } from "./credential";
export { Identity } from "./service";
export { ambiguousSources, DEFAULT_ID } from "./user-principals";
export { resume, suspend, Suspensions } from "./suspensions";
export { OpenIdIssuer } from "./issuer";
export { userOfClaims } from "./user-tokens";
