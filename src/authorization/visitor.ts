// Who is at the browser of a consent.
import type { Actor } from "../audit";

/** The user who is signed in to a project with the browser; undefined: no one is. */
export type SignedInAs = (projectId: string) => Promise<string | undefined>;

export interface Visitor {
  /** For the audit trail. */
  by: Actor;
  /** Absent: it is not known. */
  signedInAs?: SignedInAs | undefined;
}
