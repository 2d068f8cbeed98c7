// Direct conversations by the people in them.
import { badInput, type JsonObject, ScopesLost, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { MAX_OTHERS, REMEMBER_MS } from "../limits";
import { OPEN_ONE, OPEN_SEVERAL } from "../scopes";
import { codeOf } from "../upstream/failure";
import { objectIn, textIn } from "../../upstream/json";
import { knownOwnId, ownId } from "./identity";
import { findListed } from "./listed";
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

/**
 * The platform's record of the direct conversation with these people; undefined when there is none yet. Opening
 * finds it in one call, but takes a scope for writing even then; without that scope the listing is searched.
 * Throws `ToolError`.
 */
export async function existingConversation(
  client: ChatClient,
  people: People,
): Promise<JsonObject | undefined> {
  const participants = await participantsOf(client, people);
  const scope = participants.users.length > 1 ? OPEN_SEVERAL : OPEN_ONE;
  if (!mayUse(client, scope)) return findListed(client, participants);
  try {
    const conversation = await open(client, participants.users, { prevent_creation: true });
    return textIn(conversation, "id") === undefined ? undefined : conversation;
  } catch (error) {
    if (codeOf(error) === "channel_not_found") return undefined;
    if (!(error instanceof ScopesLost) || !error.needed.includes(scope)) throw error;
    // The grant claims what the token does not hold. The tool does without, so nobody is asked to consent anew.
    client.context.cache.set(keyOf(scope), true, REMEMBER_MS);
    return findListed(client, participants);
  }
}

function mayUse(client: ChatClient, scope: string): boolean {
  const { grant, cache } = client.context;
  return grant?.scopes.includes(scope) === true && cache.get<true>(keyOf(scope)) === undefined;
}

function keyOf(scope: string): string {
  return `lost:${scope}`;
}

/** Finds the people who are given by handle or address. Throws bad input when they are too many. */
async function participantsOf(client: ChatClient, people: People): Promise<Participants> {
  // Ids are not looked up: opening checks them.
  requireFew(without(people.userIds, knownOwnId(client)), knownOwnId(client) === undefined);
  const [own, found] = await client.together([ownId(client), findPeople(client, { ...people, userIds: [] })]);
  const others = without([...people.userIds, ...found.map((person) => person.id)], own);
  requireFew(others, false);
  return { own, users: others.length === 0 ? [own] : others };
}

/** The platform's record of the conversation with these people; an empty one when it does not say. */
async function open(
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
