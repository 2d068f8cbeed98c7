// Values and header names that existing clients of this API send.

/** The authentication types of gateways, as in the API. */
export const USER_TOKEN = "arcade";
export const KEY_AND_USER = "arcade_header";
export const OWN_SOURCE = "user_source";

export const AUTH_TYPES = [USER_TOKEN, KEY_AND_USER, OWN_SOURCE] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The types as pages, help and errors name them. */
export const AUTH_TYPE_NAMES: Readonly<Record<AuthType, string>> = {
  [USER_TOKEN]: "user token",
  [KEY_AND_USER]: "API key + user",
  [OWN_SOURCE]: "own identity provider",
};

/** Headers that name the end user of an API key; ours first. */
export const USER_HEADERS = ["x-user-id", "arcade-user-id"] as const;
