// A row in each table of people who sign in.
import { query, run, type Store } from "../../src/store";

const ROWS = [
  "INSERT INTO people (project_id, user_id, role, name, created_at, created_by) VALUES ('default', ?, 'member', NULL, 1, 'user:' || ?)",
  "INSERT INTO passkeys (project_id, user_id, id, public_key, counter, name, created_at) VALUES ('default', ?, 'key of ' || ?, 'public', 0, 'phone', 1)",
  "INSERT INTO sign_in_links (project_id, user_id, hash, kind, created_at, created_by, expires_at) VALUES ('default', ?, 'link of ' || ?, 'session', 1, 'operator', 2)",
  "INSERT INTO identities (project_id, user_id, subject, groups_json, read_at, claimed_at, failed_at) VALUES ('default', ?, 'sub of ' || ?, '[\"ops\"]', 1, 0, 0)",
  "INSERT INTO oauth_items (kind, hash, project_id, user_id, sealed_payload, created_at) VALUES ('RefreshToken', 'hash of ' || ?, 'default', ?, '', 1)",
  "INSERT INTO client_grants (id, project_id, user_id, client_id, resource, scopes, created_at) VALUES ('cg of ' || ?, 'default', ?, 'client', '', 'runtime', 1)",
  "INSERT INTO workloads (id, project_id, name, issuer, audience, subject, role, users, created_at) VALUES ('wl of someone', 'default', 'deploy', 'https://idp.example', 'runtime', 's', 'run', '[\"' || ? || '\",\"' || ? || '\",\"other\"]', 1) ON CONFLICT DO NOTHING",
].map((text) => query(text));

/** In all of them but `browser_sessions`, whose rows `Sessions` makes. */
export function addPersonRows(store: Store, user: string): Promise<void> {
  return store.write(function* () {
    for (const row of ROWS) yield* run(row, user, user);
  });
}

/** With passkeys. */
export function removePerson(store: Store, user: string): Promise<unknown> {
  return store.write(() =>
    run(query("DELETE FROM people WHERE project_id = 'default' AND user_id = ?"), user),
  );
}
