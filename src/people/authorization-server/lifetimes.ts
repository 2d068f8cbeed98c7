// How long what the authorization server issues is valid, in seconds.

const MINUTE = 60;
const DAY = 86_400;

/** A removed grant counts with the next request, so these bound what a stolen token is worth, not how soon a revocation counts. */
export const LIFETIMES = {
  AccessToken: 10 * MINUTE,
  AuthorizationCode: 60,
  DeviceCode: 10 * MINUTE,
  /** Without a use. Each use gives a new one. */
  RefreshToken: 30 * DAY,
  /** Of all tokens of one sign-in. */
  Grant: 365 * DAY,
  /** For the person to sign in and to answer. */
  Interaction: 30 * MINUTE,
  PushedAuthorizationRequest: 60,
  // Not used; the library wants to know.
  BackchannelAuthenticationRequest: MINUTE,
  ClientCredentials: MINUTE,
  IdToken: MINUTE,
  PreAuthorizedCode: MINUTE,
  Session: MINUTE,
} as const;
