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
  kind: Type.Enum(["key", "user", "operator", "workload"]),
  role: Type.Enum([...ROLES]),
  person: Type.Optional(Type.Enum([...PERSON_ROLES], { description: "The role of a person." })),
  project_id: ChosenId,
  org_id: ChosenId,
  key_id: Type.Optional(Type.String()),
  user_id: Type.Optional(Type.String()),
  workload_id: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String({ description: "The subject of the token of a workload." })),
  users: Type.Optional(
    Type.Array(Type.String(), { description: "The only users that the key or workload may act for." }),
  ),
});

const role = Type.Optional(Type.Enum([...ROLES], { default: "run" }));
const pinned = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 100 }),
);

export const ApiKeyCreateRequest = Type.Object({
  name,
  role,
  users: pinned,
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
  replaced_by: Type.Optional(
    Type.String({ description: "The id of the key that has replaced this one in a rotation." }),
  ),
  key: Type.Optional(Type.String({ description: "The key itself, only in the answer that creates it." })),
});

export const ApiKeyRotationRequest = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_592_000,
      default: 3600,
      description: "How long the old key works on; 0: it stops working at once.",
    }),
  ),
});

export const RotatedApiKeyResponse = Type.Object({
  ...ApiKeyResponse.properties,
  former: Type.Object({ id: Type.String(), expires_at: time }, { description: "The key that was replaced." }),
});

export const WorkloadCreateRequest = Type.Object({
  name,
  issuer: Type.String({
    maxLength: 500,
    pattern: "^https?://[^\\s?#]+$",
    description: "The issuer of the tokens, as their claim iss spells it.",
  }),
  audience: Type.String({ minLength: 1, maxLength: 500, description: "The only audience of the tokens." }),
  subject: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "The subject of the tokens. Between : and /, one * is any text without : and /.",
  }),
  role,
  users: pinned,
});

export const WorkloadResponse = Type.Object({
  id: Type.String(),
  name,
  issuer: Type.String(),
  audience: Type.String(),
  subject: Type.String(),
  role: Type.Enum([...ROLES]),
  project_id: ChosenId,
  users: Type.Optional(Type.Array(Type.String())),
  created_at: time,
  last_used_at: Type.Optional(time),
});

export type Binding = Static<typeof BindingResponse>;
export type Organization = Static<typeof OrganizationResponse>;
export type ProjectPatch = Static<typeof ProjectPatchRequest>;
export type Caller = Static<typeof CallerResponse>;
export type Project = Static<typeof ProjectResponse>;
export type ApiKeyCreate = Static<typeof ApiKeyCreateRequest>;
export type ApiKey = Static<typeof ApiKeyResponse>;
export type ApiKeyRotation = Static<typeof ApiKeyRotationRequest>;
export type RotatedApiKey = Static<typeof RotatedApiKeyResponse>;
export type WorkloadCreate = Static<typeof WorkloadCreateRequest>;
export type Workload = Static<typeof WorkloadResponse>;
