// How the picker behaves, with the public source of each row.

/** Actions that its callback receives. https://www.npmjs.com/package/@types/google.picker (google.picker.Action) */
export const ACTIONS = { PICKED: "picked", CANCEL: "cancel", ERROR: "error" } as const;

/**
 * Where third-party cookies are blocked, its frame asks to sign in, and no action is ever reported.
 * https://github.com/google/google-api-javascript-client/issues/686, https://github.com/stencila/hub/issues/1038
 */
export const WITHOUT_COOKIES = { title: "Sign in to continue", reports: false } as const;

/**
 * Files that are picked on the platform's own page belong to the application once the code is exchanged, which is the last step
 * of the guide. It is not documented whether a code that is never exchanged keeps them; the stand-in can do either.
 * https://developers.google.com/workspace/drive/picker/guides/desktop-mobile-picker
 */
export const KEEPS_UNEXCHANGED_PICKS = false;

/**
 * Without `select_account` a person who is signed in is not asked for an account.
 * https://developers.google.com/identity/protocols/oauth2/web-server (prompt), TokenClientConfig of the identity script
 */
export const ASKS_FOR_ACCOUNT = "select_account";
