// Who decides that the browser belongs to the flow's user.
import { isLoopback } from "../base";
import type { Core } from "../core";
import { invalidParameter } from "../errors";
import type { SessionVerification } from "../settings";

export type UserCheck =
  /** The customer chose to have no check. */
  | { kind: "none" }
  /** The customer's verifier finds its signed-in user and confirms. */
  | { kind: "verifier"; url: string }
  /** The browser signs in at the OpenID provider at `auth_url`. */
  | { kind: "sign_in" }
  /** Our own page asks the person, which proves nothing about who sits there. */
  | { kind: "page" };

/**
 * The check that holds for a project. On a public address our page alone would let anybody with a link give a consent
 * for somebody else, so there the operator must have said that this is meant.
 * Throws `invalid_parameter` with what to set.
 */
export function userCheckOf(core: Core, session: SessionVerification): UserCheck {
  if (session.unsafe_skip_verification) return { kind: "none" };
  if (session.verifier_url !== null) return { kind: "verifier", url: session.verifier_url };
  const { settings } = core;
  if (settings["auth.url"] !== undefined && settings["auth.client_id"] !== undefined)
    return { kind: "sign_in" };
  const { hostname } = new URL(core.publicUrl());
  if (isLoopback(hostname) || settings.session_verification === "page_only") return { kind: "page" };
  throw invalidParameter(
    "Nothing verifies who gives the consent on this public address. Set auth.url and auth.client_id (users sign in " +
      "there) or a verifier_url in the session verification settings, or accept the built-in page alone with " +
      "session_verification: page_only (RUNTIME_SESSION_VERIFICATION).",
  );
}
