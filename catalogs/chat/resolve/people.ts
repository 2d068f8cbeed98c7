// Finds people by id, handle or e-mail address.
import type { ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { TOOLKIT } from "../metadata";
import type { BasicUser } from "../records/user";
import { Directory } from "./directory";
import { findEmails } from "./emails";
import { closest, notFound, shownNames } from "./not-found";
import type { Stop } from "./search";
import type { People } from "./selector";
import { findUsernames, type Member, MEMBERS } from "./usernames";
import { findUser } from "./users";

/**
 * Finds people by id, handle and address at the same time. The result has those given by id first, then by handle,
 * then by address, each in the given order and without duplicates.
 * Throws one retryable error that names all who were not found.
 */
export async function findPeople(
  client: ChatClient,
  { userIds, usernames, emails }: People,
): Promise<BasicUser[]> {
  const [byId, byName, byEmail] = await client.together([
    client.together(userIds.map((id) => findUser(client, id))),
    findUsernames(client, usernames),
    findEmails(client, emails),
  ]);
  const found = [...byId, ...byName.people, ...byEmail];
  const wanted = [...userIds, ...usernames, ...emails];
  const missing = wanted.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw peopleNotFound(client, missing, byName.stopped);
  const people = found.filter((person) => person !== undefined);
  return [...new Map(people.map((person) => [person.id, person])).values()];
}

function peopleNotFound(
  client: ChatClient,
  missing: readonly string[],
  stopped: Stop | undefined,
): ToolError {
  const active = [...Directory.of(client, MEMBERS).entries()].filter((member) => !member.deactivated);
  const people = closest(missing, active, textsOf, SUGGESTIONS).map(shortRecord);
  const known =
    people.length === 0
      ? `${TOOLKIT}.ListUsers lists the people.`
      : `Available people: ${JSON.stringify(people)}`;
  return notFound(shownNames(missing), stopped, known);
}

/** The display name shows the model why a person is suggested; it never identifies one. */
function shortRecord({ user: { id, name, email, display_name } }: Member): Partial<BasicUser> {
  return { id, name, email, display_name };
}

function textsOf({ user }: Member): (string | null)[] {
  return [user.name, user.display_name, user.real_name, user.email];
}
