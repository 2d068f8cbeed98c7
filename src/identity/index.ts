// Who is calling: organizations, projects, API keys, principals.
export { actFor, actorOf, maySee, type Principal, requireRole, type Role, ROLES } from "./principal";
export {
  type ApiKey,
  type ApiKeyCreate,
  ApiKeyCreateRequest,
  ApiKeyResponse,
  type Binding,
  BindingResponse,
  type Caller,
  CallerResponse,
  CHOSEN_ID,
  ChosenId,
  type Organization,
  OrganizationResponse,
  type Project,
  ProjectCreateRequest,
  type ProjectPatch,
  ProjectPatchRequest,
  projectBinding,
  ProjectResponse,
  SecretResponse,
} from "./schema";
export { Identity } from "./service";
export { DEFAULT_ID } from "./user-principals";
export { OpenIdIssuer } from "./issuer";
export { ambiguousSources } from "./user-ids";
export { userOfClaims } from "./user-tokens";
