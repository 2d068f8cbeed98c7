// What the browser gets after a step of a consent.

/** Whom a consent connects: the project, and the auth provider unless it is a test of a verifier. */
export interface ConsentParties {
  projectId: string;
  providerId: string | undefined;
}

/** Why a key was not stored. `unchecked`: the service could not be asked, or said nothing about the key. */
export const KEY_PROBLEMS = ["empty", "malformed", "refused", "unchecked"] as const;
export type KeyProblem = (typeof KEY_PROBLEMS)[number];

export type Outcome =
  | { kind: "redirect"; location: string; cookie?: string }
  /** The page of the built-in user check, which is confirmed by POST. */
  | {
      kind: "confirm";
      about: ConsentParties;
      userId: string;
      scopes: string[];
      action: string;
      check: string;
    }
  /** The page on which users enter keys of their own, which is sent by POST. */
  | {
      kind: "key";
      about: ConsentParties;
      userId: string;
      action: string;
      check: string;
      cookie: string;
    }
  /** The key was not stored: the page again, with the reason. */
  | { kind: "key_problem"; problem: KeyProblem; page: string }
  /** `page` says it. */
  | { kind: "key_stored"; page: string }
  | { kind: "completed"; about: ConsentParties }
  /** The test of a verifier succeeded. */
  | { kind: "tested"; userId: string }
  | { kind: "failed"; reason: string; about: ConsentParties }
  /** The request is refused, and no flow has changed. */
  | { kind: "refused"; status: 400 | 403 | 404; reason: string };

export function refused(status: 400 | 403 | 404, reason: string): Outcome {
  return { kind: "refused", status, reason };
}

export const UNKNOWN_ADDRESS = refused(
  404,
  "This link is unknown. It may be incomplete or expired. Ask the application for a new one.",
);
export const OTHER_BROWSER = refused(
  400,
  "This consent was started in another browser, or this browser refuses cookies. " +
    "Open the link of the application again in this browser, and finish in it.",
);
export const USED_STATE = refused(
  400,
  "This response from the provider was already used. If a page has said that you are connected, close this window. " +
    "Otherwise ask the application for a new link.",
);
export const UNKNOWN_STATE = refused(
  400,
  "This response does not belong to a consent in progress. " +
    "It may be expired or already used. Ask the application for a new link.",
);

/** Whether the browser presented an address or a state that does not exist. */
export function isUnknownSecret(outcome: Outcome): boolean {
  return outcome === UNKNOWN_ADDRESS || outcome === UNKNOWN_STATE;
}
