// The user scopes that the tools declare.

/** Listing conversations of all types. */
export const READ_CONVERSATIONS = ["channels:read", "groups:read", "mpim:read", "im:read"] as const;

/** Reading messages in conversations of all types. */
export const READ_MESSAGES = ["channels:history", "groups:history", "mpim:history", "im:history"] as const;

/** Reading people. */
export const READ_PEOPLE = "users:read";

/** Reading people, including their e-mail addresses. */
export const READ_USERS = [READ_PEOPLE, "users:read.email"] as const;

/** Opening a direct conversation with one person, and with several: the platform has a scope for each. */
export const OPEN_ONE = "im:write";
export const OPEN_SEVERAL = "mpim:write";

export const POST = "chat:write";

const SCOPE_OF_TYPE: Readonly<Record<string, (typeof READ_CONVERSATIONS)[number]>> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  mpim: "mpim:read",
  im: "im:read",
};

/** The scope for listing conversations of a type of the platform; undefined for an unknown type. */
export function scopeOfType(type: string): string | undefined {
  return SCOPE_OF_TYPE[type];
}
