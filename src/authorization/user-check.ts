// How it is verified that the browser belongs to the flow's user.
import { isLoopback, isUserOfWorker } from "../base";
import type { Core } from "../core";
import { invalidParameter, requirementsNotMet } from "../errors";
import type { SignInMethod } from "../identity";
import type { SessionVerification } from "../settings";

export type UserCheck =
  /** The customer has disabled the check. */
  | { kind: "none" }
  /** The customer's verifier confirms its signed-in user. */
  | { kind: "verifier"; url: string }
  /** The person is signed in here with the browser. */
  | { kind: "sign_in" }
  /** Our page asks the person, which proves nothing. */
  | { kind: "page" };

/**
 * The user check of a project where people sign in by this method. On a public address, our page alone would let any holder of a link consent for another
 * user, so the operator must allow it explicitly.
 * Throws `invalid_parameter` with the settings.
 */
export function userCheckOf(core: Core, session: SessionVerification, method: SignInMethod): UserCheck {
  if (session.unsafe_skip_verification) return { kind: "none" };
  if (session.verifier_url !== null) return { kind: "verifier", url: session.verifier_url };
  if (method !== "none") return { kind: "sign_in" };
  const { hostname } = new URL(core.publicUrl());
  if (isLoopback(hostname) || core.settings.session_verification === "page_only") return { kind: "page" };
  throw invalidParameter(
    "No user verification is configured for this public address. Let people sign in (sign_in, or auth.url and " +
      "auth.client_id), set a verifier_url in the session verification settings, or accept the built-in page alone with " +
      "session_verification: page_only (RUNTIME_SESSION_VERIFICATION).",
  );
}

/** Throws `tool_requirements_not_met` if no person could pass the check as this user. */
export function checkPassable({ kind }: UserCheck, userId: string): void {
  if (kind !== "sign_in" || !isUserOfWorker(userId)) return;
  throw requirementsNotMet(
    "People sign in to this project and consent for themselves, so the worker cannot have a user of its own. Name the " +
      "person who consents in user_id (--user).",
  );
}
