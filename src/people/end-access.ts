// Ends what acts for a person: browsers, clients with their tokens, one-time links, and tokens at the identity provider. Done in the
// transaction that removes, suspends or erases the person, it counts with the next request on every server.
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
