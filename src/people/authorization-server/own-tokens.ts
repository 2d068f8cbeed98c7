// What the area of identity asks about the tokens of this installation.
import type { OwnTokens, PersonRole } from "../../identity";
import type { AuthorizationServer } from "./service";

/** What is asked about people with every request. */
export interface KnownPeople {
  /** How people sign in to a project. */
  methodOf(projectId: string): Promise<string>;
  /** Whether the person can sign in there. */
  isKnown(projectId: string, userId: string): Promise<boolean>;
  roleOf(projectId: string, userId: string): Promise<PersonRole>;
}

export function ownTokensOf({ verifier, grants }: AuthorizationServer, people: KnownPeople): OwnTokens {
  return {
    isOurs: (token) => verifier.isOurs(token),
    verify: (token) => verifier.verify(token),
    isGranted: async ({ projectId, userId, grant, signIn: chain }) => {
      if (!(await grants.isAlive({ projectId, userId }, grant))) return false;
      return chain === undefined || grants.isChainAlive({ projectId, userId, grant, chain });
    },
    roleOf: async (projectId, userId) => {
      if ((await people.methodOf(projectId)) === "none") return undefined;
      return (await people.isKnown(projectId, userId)) ? people.roleOf(projectId, userId) : undefined;
    },
  };
}
