// Schemas that several settings share. Their descriptions end the sentence "… must be".

export const address = {
  type: "string",
  pattern: "^https?://[^\\s]+$",
  description: "an absolute http(s) address",
} as const;
export const path = { type: "string", minLength: 1, description: "a path" } as const;
export const text = { type: "string", minLength: 1, description: "a text" } as const;
export const userSources = {
  type: "array",
  items: {
    type: "object",
    required: ["id", "issuer", "audience"],
    properties: {
      id: { type: "string", minLength: 1, maxLength: 100 },
      issuer: address,
      audience: text,
      user_claim: text,
      user_prefix: { type: "string", maxLength: 100, pattern: "^[ -~]*$" },
    },
    additionalProperties: false,
  },
  description: "a list of {id, issuer, audience, user_claim, user_prefix}, as JSON in the environment",
} as const;
export const count = {
  type: "integer",
  minimum: 0,
  maximum: 10_000_000,
  description: "a number, 0 to 10000000",
} as const;
export const seconds = {
  type: "integer",
  minimum: 1,
  maximum: 3600,
  description: "seconds, 1 to 3600",
} as const;
export const argumentList = {
  type: "array",
  items: text,
  minItems: 1,
  description: "a list of a program and its arguments, as JSON in the environment",
} as const;
export const credentialName = {
  type: "string",
  pattern: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$",
  description: "the name of a credential, without a folder",
} as const;
