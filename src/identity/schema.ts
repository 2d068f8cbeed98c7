// Records of organizations, projects and API keys, and records that are part of other records (bindings, secrets).
import { type Static, Type } from "typebox";
import { PERSON_ROLES, ROLES } from "./principal";
import { SIGN_IN_METHODS } from "./sign-in-methods";

export { PERSON_ROLES, SIGN_IN_METHODS };

const time = Type.String({ format: "date-time", description: "RFC 3339, UTC, whole seconds." });
const name = Type.String({ minLength: 1, maxLength: 256 });

/** Safe as a path segment: not `.` or `..`. Without a lookahead, which many engines for regular expressions lack. */
export const CHOSEN_ID = "^(?:\\.{0,2}[A-Za-z0-9_-]|\\.{3})[A-Za-z0-9._-]*$";

/** Ids that callers choose: of auth providers, organizations and projects. */
export const ChosenId = Type.String({ minLength: 1, maxLength: 100, pattern: CHOSEN_ID });

export const BindingResponse = Type.Object({
  id: Type.Optional(Type.String()),
  type: Type.Enum(["static", "tenant", "project", "account"]),
});

/** A stored secret inside another record: whether it is set, never its value. */
export const SecretResponse = Type.Object({
  binding: Type.Optional(Type.Enum(["static", "tenant", "project", "account"])),
  editable: Type.Boolean(),
  exists: Type.Boolean(),
});

export const OrganizationResponse = Type.Object({ id: ChosenId, name, created_at: time });

export const ProjectResponse = Type.Object({
  id: ChosenId,
  org_id: ChosenId,
  name,
  audience: Type.Optional(Type.String()),
  sign_in: Type.Optional(
    Type.Enum([...SIGN_IN_METHODS], {
      description: "How people sign in to the project; absent: as the deployment says.",
    }),
  ),
  created_at: time,
});

export const ProjectCreateRequest = Type.Object({
  id: ChosenId,
  name: Type.Optional(name),
  org_id: Type.Optional(ChosenId),
  audience: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});

export const ProjectPatchRequest = Type.Object({
  name: Type.Optional(name),
  audience: Type.Optional(
    Type.String({ maxLength: 500, description: "The audience of user tokens for the project; empty: none." }),
  ),
  sign_in: Type.Optional(
    Type.Enum([...SIGN_IN_METHODS, "default"], {
      description: "How people sign in to the project; `default`: as the deployment says.",
    }),
  ),
});

export const CallerResponse = Type.Object({
  kind: Type.Enum(["key", "user", "operator"]),
  role: Type.Enum([...ROLES]),
  person: Type.Optional(Type.Enum([...PERSON_ROLES], { description: "The role of a person." })),
  project_id: ChosenId,
  org_id: ChosenId,
  key_id: Type.Optional(Type.String()),
  user_id: Type.Optional(Type.String()),
  users: Type.Optional(
    Type.Array(Type.String(), { description: "The only users that the key may act for." }),
  ),
});

export const ApiKeyCreateRequest = Type.Object({
  name,
  role: Type.Optional(Type.Enum([...ROLES], { default: "run" })),
  users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 100 }),
  ),
  expires_at: Type.Optional(time),
});

export const ApiKeyResponse = Type.Object({
  id: Type.String(),
  name,
  role: Type.Enum([...ROLES]),
  project_id: ChosenId,
  prefix: Type.String({ description: "First characters of the key, to tell keys apart." }),
  users: Type.Optional(Type.Array(Type.String())),
  created_at: time,
  expires_at: Type.Optional(time),
  last_used_at: Type.Optional(time),
  key: Type.Optional(Type.String({ description: "The key itself, only in the answer that creates it." })),
});

export type Binding = Static<typeof BindingResponse>;
export type Organization = Static<typeof OrganizationResponse>;
export type ProjectPatch = Static<typeof ProjectPatchRequest>;
export type Caller = Static<typeof CallerResponse>;
export type Project = Static<typeof ProjectResponse>;
export type ApiKeyCreate = Static<typeof ApiKeyCreateRequest>;
export type ApiKey = Static<typeof ApiKeyResponse>;
