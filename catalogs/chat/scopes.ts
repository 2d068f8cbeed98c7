// The user scopes that the tools declare.

/** What lists conversations of every type. */
export const READ_CONVERSATIONS = ["channels:read", "groups:read", "mpim:read", "im:read"] as const;

/** What shows people, their addresses included. */
export const READ_USERS = ["users:read", "users:read.email"] as const;

/** Opening a direct conversation with one person, and with several: the platform tells them apart. */
export const OPEN_ONE = "im:write";
export const OPEN_SEVERAL = "mpim:write";

export const POST = "chat:write";
