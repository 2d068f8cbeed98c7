// Schemas of values that several settings have.

export const address = {
  type: "string",
  pattern: "^https?://[^\\s]+$",
  description: "an absolute http(s) address",
} as const;
export const path = { type: "string", minLength: 1, description: "a path" } as const;
