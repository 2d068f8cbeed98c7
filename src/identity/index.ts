// Who is calling: organizations, projects, API keys, principals.
export { actorOf } from "../audit";
export { actFor, maySee, type Principal, requireRole, type Role, ROLES } from "./principal";
export type { ApiKey, ApiKeyCreate, Binding, Caller, Organization, Project, ProjectPatch } from "./schema";
export { projectBinding } from "./binding";
export { Identity } from "./service";
export { DEFAULT_ID } from "./user-principals";
export { OpenIdIssuer } from "./issuer";
export { ambiguousSources } from "./user-ids";
export { userOfClaims } from "./user-tokens";
