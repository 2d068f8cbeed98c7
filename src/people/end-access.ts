// Ends what acts for a person: browsers, clients with their tokens, one-time links, and tokens at the identity provider. Done in the
// transaction that removes, suspends or erases the person, it counts with the next request on every server.
import { erase, query, run, touch, type Transaction } from "../store";

const OF_PERSON = "WHERE project_id = ? AND user_id = ?";
const REMOVALS = [
  query(`DELETE FROM browser_sessions ${OF_PERSON}`),
  query(`DELETE FROM sign_in_links ${OF_PERSON}`),
  query(`DELETE FROM identities ${OF_PERSON}`),
  query(`DELETE FROM oauth_items ${OF_PERSON}`),
  query(`DELETE FROM client_grants ${OF_PERSON}`),
];

export function* endAccess(projectId: string, userId: string): Transaction<void> {
  yield* erase();
  for (const removal of REMOVALS) yield* run(removal, projectId, userId);
  for (const kind of ["sessions", "people", "clients"] as const) yield* touch(kind);
}
