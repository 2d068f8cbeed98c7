// The settings of people who sign in.
const long = {
  type: "integer",
  minimum: 60,
  maximum: 31_536_000,
  description: "seconds, 60 to 31536000",
} as const;

export const SIGN_IN_KEYS = {
  sign_in: {
    schema: { enum: ["passkey", "oidc", "proxy", "none"], description: "passkey, oidc, proxy or none" },
    meaning:
      "how people sign in; unset: oidc if auth.url and auth.client_id are set, else none. A project may have its own",
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
