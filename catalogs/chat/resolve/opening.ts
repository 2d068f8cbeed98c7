// From people to the conversation with them.
import { badInput, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { MAX_OTHERS } from "../limits";
import { codeOf } from "../upstream/failure";
import { objectIn, textIn } from "../upstream/json";
import { knownOwnId, ownId } from "./identity";
import { findPeople } from "./people";
import type { People } from "./selector";

/** The id of the direct conversation with these people, which is created when there is none. */
export async function openConversation(client: ChatClient, people: People): Promise<string> {
  const id = await open(client, people, {});
  if (id === undefined) throw upstreamFailed("The platform opened a conversation and did not say which.");
  return id;
}

/** The same for tools that only read: undefined when there is no conversation with these people yet. */
export async function existingConversation(client: ChatClient, people: People): Promise<string | undefined> {
  try {
    return await open(client, people, { prevent_creation: true });
  } catch (error) {
    if (codeOf(error) === "channel_not_found") return undefined;
    throw error;
  }
}

async function open(
  client: ChatClient,
  people: People,
  mode: { prevent_creation?: true },
): Promise<string | undefined> {
  // Ids are not looked up: opening checks them.
  requireFew(without(people.userIds, knownOwnId(client)), knownOwnId(client) === undefined);
  const [own, found] = await client.together([
    ownId(client),
    findPeople(client, people.usernames, people.emails),
  ]);
  const others = without([...people.userIds, ...found.map((person) => person.id)], own);
  requireFew(others, false);
  // Nobody but oneself: the user's own notes.
  const users = others.length === 0 ? [own] : others;
  const body = await client.call(
    "conversations.open",
    { users, return_im: true, ...mode },
    { subject: `user ${users.join(", ")}` },
  );
  return textIn(objectIn(body, "channel"), "id") ?? textIn(body, "channel");
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
