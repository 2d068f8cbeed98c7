// The permissions of all chat tools.

export const CHAT_SCOPES = [
  "users:read",
  "users:read.email",
  "channels:read",
  "groups:read",
  "mpim:read",
  "im:read",
  "channels:history",
  "groups:history",
  "mpim:history",
  "im:history",
  "chat:write",
  "im:write",
  "mpim:write",
];
