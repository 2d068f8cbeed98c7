// Finds people by id, handle or e-mail address.
import { nearestOf, ToolError } from "../../../src/tools";
import { isPassing } from "../../upstream/missing";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { TOOLKIT } from "../metadata";
import type { BasicUser } from "../records/user";
import { Directory } from "./directory";
import { findEmail } from "./emails";
import { closest, notFound, shownNames } from "./not-found";
import type { Stop } from "./search";
import type { People } from "./selector";
import { findUsernames, type Member, MEMBERS } from "./usernames";
import { findUser } from "./users";

/** People who were looked up. */
export interface LookedUp {
  /**
   * Those given by id first, then by handle, then by address, each in the given order and without duplicates.
   */
  people: BasicUser[];
  /** Those who do not exist, as they were given, and the error that names them all. */
  absent: { names: string[]; error: ToolError } | undefined;
  /** Those whose look-up failed in a way that passes. */
  failed: { names: string[]; error: ToolError } | undefined;
}

/**
 * Finds people by id, handle and address at the same time.
 * Throws one retryable error that names all who were not found.
 */
export async function findPeople(client: ChatClient, people: People): Promise<BasicUser[]> {
  const found = await lookUpPeople(client, people);
  const problem = found.absent ?? found.failed;
  if (problem !== undefined) throw problem.error;
  return found.people;
}

/** Like `findPeople`, with what was found although some are missing. Throws `ToolError` for other failures. */
export async function lookUpPeople(
  client: ChatClient,
  { userIds, usernames, emails }: People,
): Promise<LookedUp> {
  const [byId, byName, byEmail] = await client.together([
    client.together(userIds.map((id) => unlessItPasses(client, findUser(client, id)))),
    unlessItPasses(client, findUsernames(client, usernames)),
    client.together(emails.map((email) => unlessItPasses(client, findEmail(client, email)))),
  ]);
  const named = byName instanceof ToolError ? usernames.map(() => byName) : byName.people;
  const found = [...byId, ...named, ...byEmail];
  const wanted = [...userIds, ...usernames, ...emails];
  const stopped = byName instanceof ToolError ? undefined : byName.stopped;
  const absent = wanted.filter((_, index) => found[index] === undefined);
  const failed = wanted.filter((_, index) => found[index] instanceof ToolError);
  const [error] = found.filter((each) => each instanceof ToolError);
  const people = found.flatMap((each) => (each === undefined || each instanceof ToolError ? [] : [each]));
  return {
    people: [...new Map(people.map((person) => [person.id, person])).values()],
    absent:
      absent.length === 0
        ? undefined
        : {
            names: absent,
            error: await peopleNotFound(
              client,
              absent,
              fieldsWith({ user_ids: userIds, usernames, emails }, absent),
              stopped,
            ),
          },
    failed: error === undefined ? undefined : { names: failed, error },
  };
}

/** The parameters with at least one of these values. */
function fieldsWith(given: Readonly<Record<string, readonly string[]>>, values: readonly string[]): string[] {
  return Object.entries(given).flatMap(([name, list]) =>
    list.some((each) => values.includes(each)) ? [`\`${name}\``] : [],
  );
}

async function unlessItPasses<T>(client: ChatClient, work: Promise<T>): Promise<T | ToolError> {
  try {
    return await work;
  } catch (error) {
    if (!isPassing(error) || client.ended) throw error;
    return error;
  }
}

async function peopleNotFound(
  client: ChatClient,
  missing: readonly string[],
  fields: readonly string[],
  stopped: Stop | undefined,
): Promise<ToolError> {
  const active = [...(await Directory.of(client, MEMBERS)).entries()].filter((member) => !member.deactivated);
  const people = closest(missing, active, textsOf, SUGGESTIONS).map(shortRecord);
  const known =
    people.length === 0
      ? `${TOOLKIT}.ListUsers lists the people.`
      : `Available people: ${JSON.stringify(people)}`;
  // Each is compared with what it may be: a handle, an address or an id.
  const texts = people.flatMap(({ id, name, email }) =>
    [name, email, id].filter((text) => typeof text === "string"),
  );
  const what = shownNames(missing, (name) => nearestOf(texts, name.replace(/^@/, "")));
  return notFound(what, stopped, `Correct ${fields.join(", ")} and call again. ${known}`);
}

/** The display name shows the model why a person is suggested; it never identifies one. */
function shortRecord({ user: { id, name, email, display_name } }: Member): Partial<BasicUser> {
  return { id, name, email, display_name };
}

function textsOf({ user }: Member): (string | null)[] {
  return [user.name, user.display_name, user.real_name, user.email];
}
