// Ends what acts for a person: browsers, clients with their tokens, one-time links, and tokens at the identity provider. Done in the
// transaction that removes, suspends or erases the person, it counts with the next request on every server.
import { erase, query, run, touch, type Transaction } from "../store";

const OF_PERSON = "WHERE project_id = ? AND user_id = ?";
const REMOVE_SESSIONS = query(`DELETE FROM browser_sessions ${OF_PERSON}`);
const REMOVE_GRANTS = query(`DELETE FROM client_grants ${OF_PERSON}`);
const REMOVALS = [
  query(`DELETE FROM sign_in_links ${OF_PERSON}`),
  query(`DELETE FROM identities ${OF_PERSON}`),
  query(`DELETE FROM oauth_items ${OF_PERSON}`),
];

/** Numbers of what has ended. */
export interface EndedAccess {
  sessions: number;
  clients: number;
}

export function* endAccess(projectId: string, userId: string): Transaction<EndedAccess> {
  yield* erase();
  const sessions = yield* run(REMOVE_SESSIONS, projectId, userId);
  const clients = yield* run(REMOVE_GRANTS, projectId, userId);
  for (const removal of REMOVALS) yield* run(removal, projectId, userId);
  for (const kind of ["sessions", "people", "clients"] as const) yield* touch(kind);
  return { sessions, clients };
}
