// Who decides that the browser belongs to the flow's user.
import type { Core } from "../core";
import { invalidParameter } from "../errors";

/** `page`: our own page asks the person, which proves nothing about who sits there. */
export type UserCheck = "page";

/**
 * The check that this deployment uses. On a public address a page alone would let anybody with a link give a consent
 * for somebody else, so there the operator must have said that this is meant.
 * Throws `invalid_parameter` with what to set.
 */
export function userCheckOf(core: Core): UserCheck {
  const { hostname } = new URL(core.publicUrl());
  if (isLoopback(hostname) || core.settings.session_verification === "page_only") return "page";
  throw invalidParameter(
    "Nothing verifies who gives the consent on this public address. Set auth.url (users sign in there) or a " +
      "verifier_url in the session verification settings, or accept the built-in page alone with " +
      "session_verification: page_only (RUNTIME_SESSION_VERIFICATION).",
  );
}

export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    // The whole of it: `127.0.0.1.example.com` is a name of anybody's.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
