// Organizations, projects, API keys and principals.
export { actorOf } from "../audit";
export { actFor, maySee, type Principal, requireRole, type Role, ROLES } from "./principal";
export type { ApiKey, ApiKeyCreate, Binding, Caller, Organization, Project, ProjectPatch } from "./schema";
export { projectBinding } from "./projects";
export { hasToken, keyPrefixOf } from "./credential";
export { Identity } from "./service";
export { ambiguousSources, DEFAULT_ID } from "./user-principals";
export { resume, suspend, Suspensions } from "./suspensions";
export { OpenIdIssuer } from "./issuer";
export { userOfClaims } from "./user-tokens";
