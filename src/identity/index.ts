// Organizations, projects, API keys and principals.
export { actorOf } from "../audit";
export {
  actFor,
  maySee,
  PERSON_ROLES,
  type PersonRole,
  type Principal,
  requireRole,
  type Right,
  type Role,
  ROLES,
} from "./principal";
export type { ApiKey, ApiKeyCreate, Binding, Caller, Organization, Project, ProjectPatch } from "./schema";
export { projectBinding } from "./projects";
export type { OwnToken, OwnTokens } from "./own-tokens";
export { hasToken, keyPrefixOf } from "./credential";
export { Identity } from "./service";
export { ambiguousSources, DEFAULT_ID } from "./user-principals";
export { resume, suspend, Suspensions } from "./suspensions";
export { OpenIdIssuer } from "./issuer";
export { userOfClaims } from "./user-tokens";
