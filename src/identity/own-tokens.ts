// Tokens that this installation issues to clients of people. Another area issues and checks them.
import type { PersonRole } from "./principal";

export interface OwnToken {
  projectId: string;
  userId: string;
  /** What the person has allowed the client. */
  grant: string;
  /** The sign-in that it belongs to. */
  signIn: string;
  /** The id of the gateway that the person has allowed it; empty: the API of the project. */
  resource: string;
  /** The address that the token is for. */
  audience: string;
  scopes: readonly string[];
}

/** By what a client acts for a person. */
export interface Granted {
  projectId: string;
  userId: string;
  grant: string;
  signIn?: string | undefined;
}

export interface OwnTokens {
  /** Whether a token says that it is one. Nothing is checked. */
  isOurs(token: string): boolean;
  /** Throws `invalid_authorization`. */
  verify(token: string): Promise<OwnToken>;
  /** Whether the person still allows it, and the sign-in, if there is one, has not ended. */
  isGranted(by: Granted): Promise<boolean>;
  /** Whether people sign in to the project here, and this one may. Undefined: not. Else the role of the person. */
  roleOf(projectId: string, userId: string): Promise<PersonRole | undefined>;
}
