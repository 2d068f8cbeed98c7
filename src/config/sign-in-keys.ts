// The settings of people who sign in.
const long = {
  type: "integer",
  minimum: 60,
  maximum: 31_536_000,
  description: "seconds, 60 to 31536000",
} as const;

const text = { type: "string", minLength: 1, description: "a text" } as const;

export const SIGN_IN_KEYS = {
  sign_in: {
    schema: { enum: ["passkey", "oidc", "proxy", "none"], description: "passkey, oidc, proxy or none" },
    meaning:
      "how people sign in; unset: oidc if auth.url and auth.client_id are set, else none. A project may have its own",
  },
  "auth.groups_claim": {
    schema: text,
    default: "groups",
    meaning: "claim of the ID token or of user info that lists the groups of a person",
  },
  "auth.groups_scope": {
    schema: text,
    meaning: "scope to ask for at auth.url, if the provider tells groups only with it",
  },
  "auth.roles": {
    schema: {
      type: "array",
      items: {
        type: "object",
        required: ["group", "role"],
        properties: {
          group: { type: "string", minLength: 1, maxLength: 512 },
          role: { enum: ["admin", "approver", "auditor", "member"] },
        },
        additionalProperties: false,
      },
      description:
        "a list of {group, role}, as JSON in the environment; roles: admin, approver, auditor, member",
    },
    default: [],
    meaning: "roles of people by their groups; the highest counts: admin, approver, auditor, member",
  },
  "sessions.idle": {
    schema: long,
    default: 28_800,
    meaning: "seconds without a request after which a browser is signed out",
  },
  "sessions.lifetime": {
    schema: long,
    default: 604_800,
    meaning: "seconds after which a browser must sign in again, however much it is used",
  },
} as const;
