// How people can sign in: words of settings and of the records of projects.

/** `none`: they cannot. */
export const SIGN_IN_METHODS = ["passkey", "oidc", "proxy", "none"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];
