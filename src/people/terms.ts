// Words of the sign-in that other areas and the wire use.
import type { SignInMethod } from "../identity";

/** How a session began. `link`: a one-time link, where passkeys cannot work. */
export type SessionMethod = Exclude<SignInMethod, "none"> | "link";

/** The method that a session or a grant counts with. One-time links are for people with passkeys. */
export function methodOfSession(began: SessionMethod): SignInMethod {
  return began === "link" ? "passkey" : began;
}
