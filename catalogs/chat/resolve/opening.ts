// From people to the conversation with them.
import { badInput, type JsonObject, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { MAX_OTHERS } from "../limits";
import { objectIn, textIn } from "../../upstream/json";
import { knownOwnId, ownId } from "./identity";
import { findPeople } from "./people";
import type { People } from "./selector";

/** Whom a direct conversation is with. */
export interface Participants {
  own: string;
  /** The ids that it is opened with: the others, or oneself for one's own notes. */
  users: readonly string[];
}

/** The id of the direct conversation with these people, which is created when there is none. */
export async function openConversation(client: ChatClient, people: People): Promise<string> {
  const { users } = await participantsOf(client, people);
  const id = textIn(await open(client, users, {}), "id");
  if (id === undefined) throw upstreamFailed("The platform opened a conversation and did not say which.");
  return id;
}

/** Finds the people who are given by handle or address. Throws bad input when they are too many. */
export async function participantsOf(client: ChatClient, people: People): Promise<Participants> {
  // Ids are not looked up: opening checks them.
  requireFew(without(people.userIds, knownOwnId(client)), knownOwnId(client) === undefined);
  const [own, found] = await client.together([ownId(client), findPeople(client, { ...people, userIds: [] })]);
  const others = without([...people.userIds, ...found.map((person) => person.id)], own);
  requireFew(others, false);
  return { own, users: others.length === 0 ? [own] : others };
}

/** The platform's record of the conversation with these people; an empty one when it does not say. */
export async function open(
  client: ChatClient,
  users: readonly string[],
  mode: { prevent_creation?: true },
): Promise<JsonObject> {
  const subject = `user ${users.join(", ")}`;
  const body = await client.call("conversations.open", { users, return_im: true, ...mode }, { subject });
  const id = textIn(body, "channel");
  return id === undefined ? objectIn(body, "channel") : { id };
}

function without(ids: readonly string[], own: string | undefined): string[] {
  return [...new Set(ids)].filter((id) => id !== own);
}

/** @param mayHoldOwn whether one of the ids may still turn out to be the user's own */
function requireFew(others: readonly string[], mayHoldOwn: boolean): void {
  if (others.length <= MAX_OTHERS + (mayHoldOwn ? 1 : 0)) return;
  throw badInput(
    `A direct conversation takes at most ${MAX_OTHERS} other people; ${others.length} were given.`,
  );
}
