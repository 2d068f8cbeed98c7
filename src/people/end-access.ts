// Ends what acts for people: browsers, clients with their tokens, one-time links, and tokens at the identity provider. Done in the
// transaction that removes, suspends or erases a person, or that changes how people sign in, it counts with the next request on
// every server.
import type { SignInMethod } from "../identity";
import { erase, touch, type Transaction } from "../store";
import * as grants from "./authorization-server/grant-repository";
import * as identities from "./identity-repository";
import * as people from "./people-repository";
import * as sessions from "./session-repository";

/** Numbers of what has ended. */
export interface EndedAccess {
  sessions: number;
  clients: number;
}

export function* endAccess(projectId: string, userId: string): Transaction<EndedAccess> {
  yield* erase();
  const ended = {
    sessions: yield* sessions.removeOf(projectId, userId),
    clients: yield* grants.removeOfPerson(projectId, userId),
  };
  yield* people.removeLinks(projectId, userId);
  yield* identities.removeIdentity(projectId, userId);
  yield* touch("people");
  return ended;
}

/**
 * Ends what people of a project have begun by another method than this one. It does not count meanwhile, and must not count again
 * when people sign in as before: another person may have got the name.
 */
export function* endOfOtherMethods(projectId: string, method: SignInMethod): Transaction<EndedAccess> {
  yield* erase();
  return {
    // One-time links are for people with passkeys.
    sessions: yield* sessions.removeOfOtherMethods(projectId, [
      method,
      method === "passkey" ? "link" : method,
    ]),
    clients: yield* grants.removeOfOtherMethods(projectId, method),
  };
}
