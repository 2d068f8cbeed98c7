// What the browser gets to see after a step of a consent.
export type Outcome =
  | { kind: "redirect"; location: string; cookie?: string }
  /** The built-in user check: shows who is about to be linked to what, confirmed by POST. */
  | { kind: "confirm"; userId: string; provider: string; scopes: string[]; action: string; check: string }
  | { kind: "completed" }
  /** A verifier was tried out and works. */
  | { kind: "tested"; userId: string }
  | { kind: "failed"; reason: string }
  /** The request itself is refused; no flow has changed. */
  | { kind: "refused"; status: 400 | 403 | 404; reason: string };

export function refused(status: 400 | 403 | 404, reason: string): Outcome {
  return { kind: "refused", status, reason };
}

export const UNKNOWN_ADDRESS = refused(
  404,
  "This link is not known here. It may be cut off or long over. Ask the application for a new one.",
);
export const OTHER_BROWSER = refused(
  400,
  "This consent was started in another browser, or this browser refuses cookies. " +
    "Open the link of the application again, here, and finish without changing browsers.",
);
export const USED_STATE = refused(
  400,
  "This answer of the provider was used already. If you were told that you are connected, you can close this window; " +
    "otherwise ask the application for a new link.",
);
export const UNKNOWN_STATE = refused(
  400,
  "This answer does not belong to a consent that is under way here. " +
    "It may have been used or be too old. Ask the application for a new link.",
);
