// The user scopes that the tools declare.

/** What lists conversations of every type. */
export const READ_CONVERSATIONS = ["channels:read", "groups:read", "mpim:read", "im:read"] as const;

/** What reads messages in conversations of every type. */
export const READ_MESSAGES = ["channels:history", "groups:history", "mpim:history", "im:history"] as const;

/** What shows people. */
export const READ_PEOPLE = "users:read";

/** What shows people, their addresses included. */
export const READ_USERS = [READ_PEOPLE, "users:read.email"] as const;

/** Opening a direct conversation with one person, and with several: the platform tells them apart. */
export const OPEN_ONE = "im:write";
export const OPEN_SEVERAL = "mpim:write";

export const POST = "chat:write";

const SCOPE_OF_TYPE: Readonly<Record<string, (typeof READ_CONVERSATIONS)[number]>> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  mpim: "mpim:read",
  im: "im:read",
};

/** The scope that lists conversations of a type, by the platform's name for it; undefined for none of its types. */
export function scopeOfType(type: string): string | undefined {
  return SCOPE_OF_TYPE[type];
}
