// Words of the sign-in that other areas and the wire use.

/** How people sign in. `none`: they cannot. */
export const SIGN_IN_METHODS = ["passkey", "oidc", "proxy", "none"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** How a session began. `link`: a one-time link, where passkeys cannot work. */
export type SessionMethod = Exclude<SignInMethod, "none"> | "link";
