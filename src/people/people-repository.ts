// SQL of the people of projects, their passkeys and one-time links. Every look-up has its project, except that of a link: it
// has 256 random bits and names the project.
import {
  all,
  command,
  get,
  insertInto,
  insertNew,
  query,
  run,
  type Store,
  touch,
  type Transaction,
} from "../store";
import type { PersonRole } from "../identity";

export interface PersonRow {
  project_id: string;
  user_id: string;
  role: PersonRole;
  name: string | null;
  created_at: number;
  created_by: string;
}

export interface PasskeyRow {
  project_id: string;
  user_id: string;
  /** The id of the credential, as base64url. */
  id: string;
  /** COSE key, as base64url. */
  public_key: string;
  counter: number;
  /** JSON list. */
  transports: string | null;
  name: string;
  created_at: number;
  used_at: number | null;
}

export type LinkKind = "passkey" | "session";

export interface LinkRow {
  project_id: string;
  user_id: string;
  hash: string;
  kind: LinkKind;
  created_at: number;
  created_by: string;
  expires_at: number;
}

const PERSON = ["project_id", "user_id", "role", "name", "created_at", "created_by"] as const;
const PASSKEY = [
  "project_id",
  "user_id",
  "id",
  "public_key",
  "counter",
  "transports",
  "name",
  "created_at",
  "used_at",
] as const;
const LINK = ["project_id", "user_id", "hash", "kind", "created_at", "created_by", "expires_at"] as const;

const FIND_PERSON = query<PersonRow>(
  `SELECT ${PERSON.join(", ")} FROM people WHERE project_id = ? AND user_id = ?`,
);
const putPerson = insertInto<PersonRow>(
  "people",
  PERSON,
  "ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role, name = excluded.name",
);
const REMOVE_PERSON = query("DELETE FROM people WHERE project_id = ? AND user_id = ?");

const PASSKEYS_OF = query<PasskeyRow>(
  `SELECT ${PASSKEY.join(", ")} FROM passkeys WHERE project_id = ? AND user_id = ? ORDER BY created_at, id`,
);
const FIND_PASSKEY = query<PasskeyRow>(
  `SELECT ${PASSKEY.join(", ")} FROM passkeys WHERE project_id = ? AND id = ?`,
);
const insertPasskey = insertInto<PasskeyRow>("passkeys", PASSKEY);
// A counter of 0 does not count (WebAuthn, section 6.1.1).
const useCounter = command<Pick<PasskeyRow, "project_id" | "user_id" | "id" | "counter"> & { now: number }>(
  "UPDATE passkeys SET counter = :counter, used_at = :now WHERE project_id = :project_id AND user_id = :user_id " +
    "AND id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))",
);
const RENAME = query("UPDATE passkeys SET name = ? WHERE project_id = ? AND user_id = ? AND id = ?");
const REMOVE_PASSKEY = query("DELETE FROM passkeys WHERE project_id = ? AND user_id = ? AND id = ?");

const FIND_LINK = query<LinkRow>(`SELECT ${LINK.join(", ")} FROM sign_in_links WHERE hash = ?`);
const insertLink = insertInto<LinkRow>("sign_in_links", LINK);
const REMOVE_LINKS = query("DELETE FROM sign_in_links WHERE project_id = ? AND user_id = ?");
const REMOVE_EXPIRED_LINKS = query("DELETE FROM sign_in_links WHERE expires_at <= ?");
const USE_LINK = query("DELETE FROM sign_in_links WHERE project_id = ? AND hash = ? AND expires_at > ?");

const insertChallenge = insertNew<{ hash: string; project_id: string; expires_at: number }>(
  "used_challenges",
  ["hash", "project_id", "expires_at"],
);
const REMOVE_CHALLENGES = query("DELETE FROM used_challenges WHERE expires_at <= ?");

export function findPerson(store: Store, projectId: string, userId: string): Promise<PersonRow | undefined> {
  return store.get(FIND_PERSON, projectId, userId);
}

export function personInTransaction(projectId: string, userId: string): Transaction<PersonRow | undefined> {
  return get(FIND_PERSON, projectId, userId);
}

export function* keepPerson(row: PersonRow): Transaction<void> {
  yield* putPerson(row);
  yield* touch("people");
}

/** With the person's passkeys and links. */
export function* removePerson(projectId: string, userId: string): Transaction<boolean> {
  yield* touch("people");
  return (yield* run(REMOVE_PERSON, projectId, userId)) > 0;
}

export function passkeysOf(store: Store, projectId: string, userId: string): Promise<PasskeyRow[]> {
  return store.all(PASSKEYS_OF, projectId, userId);
}

export function passkeysInTransaction(projectId: string, userId: string): Transaction<PasskeyRow[]> {
  return all(PASSKEYS_OF, projectId, userId);
}

export function findPasskey(store: Store, projectId: string, id: string): Promise<PasskeyRow | undefined> {
  return store.get(FIND_PASSKEY, projectId, id);
}

export function passkeyInTransaction(projectId: string, id: string): Transaction<PasskeyRow | undefined> {
  return get(FIND_PASSKEY, projectId, id);
}

export function* addPasskey(row: PasskeyRow): Transaction<void> {
  yield* insertPasskey(row);
  yield* touch("people");
}

/** False if the passkey is gone, or if it has counted as far already. */
export function* countPasskey(row: PasskeyRow, counter: number, now: number): Transaction<boolean> {
  const { project_id, user_id, id } = row;
  return (yield* useCounter({ project_id, user_id, id, counter, now })) > 0;
}

export function* renamePasskey(of: PasskeyOf, name: string): Transaction<number> {
  return yield* run(RENAME, name, of.projectId, of.userId, of.id);
}

export function* removePasskey(of: PasskeyOf): Transaction<number> {
  yield* touch("people");
  return yield* run(REMOVE_PASSKEY, of.projectId, of.userId, of.id);
}

export interface PasskeyOf {
  projectId: string;
  userId: string;
  id: string;
}

export function findLink(store: Store, hash: string): Promise<LinkRow | undefined> {
  return store.get(FIND_LINK, hash);
}

/** Former links of the person stop working. `time`: what `DeletionTime` says; expired links of others are deleted by it. */
export function* replaceLinks(row: LinkRow, time: number | undefined): Transaction<void> {
  if (time !== undefined) yield* run(REMOVE_EXPIRED_LINKS, time);
  yield* removeLinks(row.project_id, row.user_id);
  yield* insertLink(row);
}

export function removeLinks(projectId: string, userId: string): Transaction<number> {
  return run(REMOVE_LINKS, projectId, userId);
}

/** False if the link was used, replaced, or has expired. */
export function* useLink({ project_id, hash }: LinkRow, now: number): Transaction<boolean> {
  return (yield* run(USE_LINK, project_id, hash, now)) > 0;
}

/** False if the challenge was answered before. `before`: challenges that had expired then are deleted. */
export function* useChallenge(
  row: { hash: string; project_id: string; expires_at: number },
  before: number,
): Transaction<boolean> {
  yield* run(REMOVE_CHALLENGES, before);
  return (yield* insertChallenge(row)) > 0;
}
