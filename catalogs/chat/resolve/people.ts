// From what a caller knows of people to the people.
import type { ToolError } from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import type { BasicUser } from "../records";
import { closest } from "./closest";
import { Directory } from "./directory";
import { findEmails } from "./emails";
import { notFound } from "./not-found";
import type { Stop } from "./search";
import { findUsernames, type Member, MEMBERS } from "./usernames";

/**
 * Finds people by handle and by address, both at a time: the handles' people first, each in the order given.
 * One retryable error names all that are missing.
 */
export async function findPeople(
  client: ChatClient,
  usernames: readonly string[],
  emails: readonly string[],
): Promise<BasicUser[]> {
  const [byName, byEmail] = await client.together([
    findUsernames(client, usernames),
    findEmails(client, emails),
  ]);
  const found = [...byName.people, ...byEmail];
  const missing = [...usernames, ...emails].filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw peopleNotFound(client, missing, byName.stopped);
  return found.filter((person) => person !== undefined);
}

function peopleNotFound(
  client: ChatClient,
  missing: readonly string[],
  stopped: Stop | undefined,
): ToolError {
  const active = [...Directory.of(client, MEMBERS).entries()].filter((member) => !member.deactivated);
  const people = closest(missing, active, textsOf, SUGGESTIONS).map(shortRecord);
  return notFound(missing.join(", "), stopped, `Available people: ${JSON.stringify(people)}`);
}

/** The display name shows the model why somebody is offered; it never decides. */
function shortRecord({ id, name, email, display_name }: Member): Partial<BasicUser> {
  return { id, name, email, display_name };
}

function textsOf(member: Member): (string | null)[] {
  return [member.name, member.display_name, member.real_name, member.email];
}
